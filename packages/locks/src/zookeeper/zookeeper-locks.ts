/**
 * Locks in ZooKeeper. Each acquisition has its own session with an ephemeral sequential node: the lowest node holds the lock. The server removes the node when the session ends or is silent for its limit. The last token is the data of the parent
 * node, which the holder advances on the condition of its version.
 */
import { randomUUID } from "node:crypto";
import type { AcquireOptions, HeldLock, LockService } from "@runledger/contracts";
import { deadline, lost, now, pause, throwIfAborted, unavailable } from "../deadline.js";
import { assertExists, children, createPath, createPlace, readData, writeData, type Access } from "./nodes.js";
import { Session } from "./session.js";
import { parseZookeeperUrl, type ZookeeperTarget } from "./zookeeper-url.js";

export interface ZookeeperLocksOptions {
  /** `zookeeper://host:2181,host:2181/path`, with `user:password@` for the scheme `digest`. Default path `/runledger`. */
  readonly url: string;
}

/** How often a waiter looks whether it is the next holder. */
const POLL_MS = 50;

export function zookeeperLocks({ url }: ZookeeperLocksOptions): LockService {
  const target = parseZookeeperUrl(url);
  const sessions = new Set<Session>();
  return {
    name: "ZooKeeper",
    acquire: (name, options) => acquire(target, sessions, name, options),
    close: async () => {
      await Promise.all([...sessions].map((session) => session.close()));
      sessions.clear();
    },
  };
}

type Sessions = Set<Session>;

async function acquire(
  target: ZookeeperTarget,
  sessions: Sessions,
  name: string,
  options: AcquireOptions,
): Promise<HeldLock> {
  throwIfAborted(options.signal);
  const session = await openSession(target, options.ttlMs);
  sessions.add(session);
  const leave = async (): Promise<void> => {
    await session.close();
    sessions.delete(session);
  };
  try {
    return await inOrder(session, leave, target, name, options);
  } catch (error) {
    await leave(); // removes the node of this waiter
    throwIfAborted(options.signal);
    throw unavailable("ZooKeeper", error);
  }
}

/** Tries the servers in order. */
async function openSession({ servers, digest }: ZookeeperTarget, timeoutMs: number): Promise<Session> {
  let refused: unknown;
  for (const server of servers)
    try {
      return await Session.open({ ...server, timeoutMs, digest });
    } catch (error) {
      refused = error;
    }
  throw unavailable("ZooKeeper", refused);
}

async function inOrder(
  session: Session,
  leave: () => Promise<void>,
  { root, digest }: ZookeeperTarget,
  name: string,
  { ttlMs, after = 0, signal }: AcquireOptions,
): Promise<HeldLock> {
  const path = `${root}/lock-${encodeURIComponent(name)}`;
  const access: Access = digest === null ? "world" : "creator";
  const holder = randomUUID();
  await createPath(session, path, access);
  const place = await createPlace(session, path, `${holder}-`, access);
  while (lowest(await children(session, path)) !== place) await pause(POLL_MS, signal);
  const since = now();
  const token = await nextToken(session, path, after);
  return heldLock({ session, leave, path: `${path}/${place}`, name, holder, token, ttlMs, since });
}

/** The server appends ten digits. */
function lowest(places: readonly string[]): string | undefined {
  const order = (place: string): string => place.slice(-10);
  return places.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))[0];
}

/** Only the holder does this. If its session is over, the server refuses the request. */
async function nextToken(session: Session, path: string, after: number): Promise<number> {
  const { data, version } = await readData(session, path);
  const token = Math.max(Number(data), after) + 1;
  await writeData(session, path, String(token), version);
  return token;
}

interface Acquired {
  readonly session: Session;
  readonly leave: () => Promise<void>;
  readonly path: string;
  readonly name: string;
  readonly holder: string;
  readonly token: number;
  readonly ttlMs: number;
  readonly since: number;
}

function heldLock({ session, leave, path, name, holder, token, ttlMs, since }: Acquired): HeldLock {
  let isPast = deadline(ttlMs, since);
  let expiring = setTimeout(() => void leave(), ttlMs).unref();
  const isExpired = (): boolean => isPast() || session.isLost;
  const release = (): Promise<void> => {
    clearTimeout(expiring);
    isPast = () => true;
    return leave();
  };
  return {
    token,
    holder,
    isExpired,
    extend: async () => {
      const sent = now();
      if (!isExpired() && (await isThere(session, path))) {
        clearTimeout(expiring);
        expiring = setTimeout(() => void leave(), ttlMs).unref();
        isPast = deadline(ttlMs, sent);
        return;
      }
      await release();
      throw lost(name);
    },
    release,
  };
}

function isThere(session: Session, path: string): Promise<boolean> {
  return assertExists(session, path).then(
    () => true,
    () => false,
  );
}
