/** The checks of `doctor`. Each reports a finding and, if there is a problem, how to fix it. */
import { access, constants, statfs } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import type { FullStateStore } from "@runledger/contracts";
import { packageVersion } from "@runledger/runtime/config/package-version";
import { embeddedFolder, withoutPassword } from "@runledger/runtime/config/store-url";
import { DEFAULT_PORT } from "@runledger/server/setup";
import type { RunledgerConfig } from "../../config/define-config.js";
import { count } from "../render/format.js";
import { openLedger } from "../backend/open-ledger.js";
import { errorLines } from "../render/report-error.js";
import { loadProject, type GlobalOptions } from "../global-options.js";

export interface Finding {
  readonly name: string;
  /** `bad`: Runledger cannot work. `note`: a hint. */
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  readonly fix?: string;
}

const GIGABYTE = 1024 ** 3;
/** A larger difference to the store's clock makes logs hard to read. Nothing else depends on it. */
const MAX_SKEW_MS = 2000;
/** Transactions of Runledger take less. */
const MAX_SNAPSHOT_MS = 5000;

export function checkNode(): Finding {
  return { name: "Node", state: "good", found: `${process.versions.node} on ${process.platform} ${process.arch}` };
}

export function checkVersion(): Finding {
  return { name: "Runledger", state: "good", found: packageVersion() };
}

export async function checkProject(options: GlobalOptions): Promise<Finding> {
  const name = "Project";
  try {
    const { configFile, workflows } = await loadProject(options);
    return { name, state: "good", found: `${configFile}, ${count(workflows.length, "workflow")}` };
  } catch (error) {
    const fix = "create a project with npx runledger init; commands on a store work without one";
    return { name, state: "note", found: errorLines(error).join(" "), fix };
  }
}

export async function checkFolder(url: string): Promise<Finding[]> {
  const folder = resolve(embeddedFolder(url) ?? ".");
  const existing = existsSync(folder) ? folder : dirname(folder);
  return [await checkPermissions(existing), await checkDisk(existing)];
}

async function checkPermissions(folder: string): Promise<Finding> {
  const [name, fix] = ["Permissions", "give this user write permission, or use another store with --store"];
  return access(folder, constants.R_OK | constants.W_OK).then(
    () => ({ name, state: "good", found: `${folder} is writable` }),
    () => ({ name, state: "bad", found: `${folder} is not writable`, fix }),
  );
}

async function checkDisk(folder: string): Promise<Finding> {
  const [name, fix] = ["Disk", "free some space: a full disk stops all appends, but loses no acknowledged event"];
  const stats = await statfs(folder).catch(() => null);
  if (stats === null) return { name, state: "note", found: `${folder} does not exist`, fix: "use an existing folder" };
  const free = stats.bavail * stats.bsize;
  const found = `${(free / GIGABYTE).toFixed(1)} GB free at ${folder}`;
  return free > GIGABYTE ? { name, state: "good", found } : { name, state: "bad", found, fix };
}

export async function checkStore(
  url: string,
  options: Pick<RunledgerConfig, "encryption" | "artifacts"> = {},
): Promise<Finding[]> {
  const [name, shown] = ["Store", withoutPassword(url)];
  const folder = embeddedFolder(url);
  if (folder !== null && !existsSync(resolve(folder)))
    return [{ name, state: "note", found: `${shown} does not exist yet`, fix: "runledger dev creates it" }];
  try {
    await using ledger = await openLedger(url, { retryForMs: 0, ...options });
    const sentAt = Date.now();
    const { now } = await ledger.store.queue.heldRuns("doctor");
    const midpoint = (sentAt + Date.now()) / 2;
    const unserved = await ledger.unserved();
    return [
      { name, state: "good", found: `${shown} responds in ${Date.now() - sentAt} ms` },
      clock(Date.parse(now) - midpoint),
      ...encryptionState(ledger.store),
      ...snapshots((await ledger.store.oldestSnapshotMs?.()) ?? 0),
      ...unserved.map((plan): Finding => {
        const found = `no worker for ${plan.planId} ${plan.planVersion}, which has ${count(plan.openRuns, "open run")}`;
        return { name: "Workers", state: "note", found, fix: "start a worker with this version" };
      }),
    ];
  } catch (error) {
    const fix = "check the URL, and that the database is running; docs/errors has a page for every error code";
    return [{ name, state: "bad", found: errorLines(error).join(" "), fix }];
  }
}

function encryptionState({ concealed }: FullStateStore): Finding[] {
  if (concealed === undefined) return [];
  return [{ name: "Encryption", state: "good", found: "payloads are encrypted before they reach the store" }];
}

function clock(skewMs: number): Finding {
  const found = `this machine is ${Math.abs(Math.round(skewMs))} ms off the store's clock`;
  if (Math.abs(skewMs) < MAX_SKEW_MS) return { name: "Clock", state: "good", found };
  return {
    name: "Clock",
    state: "note",
    found,
    fix: "synchronize it with NTP; runs use the store's clock, logs use this one",
  };
}

/** Q3 */
function snapshots(oldestMs: number): Finding[] {
  if (oldestMs < MAX_SNAPSHOT_MS) return [];
  const found = `a transaction has been open for ${Math.round(oldestMs / 1000)} s; workers claim runs more slowly until it ends`;
  const fix = "find it with SELECT pid, application_name, query FROM pg_stat_activity ORDER BY xact_start, and end it";
  return [{ name: "Transactions", state: "note", found, fix }];
}

export async function checkPort(port = DEFAULT_PORT): Promise<Finding> {
  const server = createServer();
  const free = await new Promise<boolean>((done) => {
    server.once("error", () => done(false)).listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
  if (free) return { name: "Port", state: "good", found: `${port} is free` };
  return {
    name: "Port",
    state: "note",
    found: `${port} is in use`,
    fix: "stop the process that uses it (perhaps another runledger dev), or use --port",
  };
}
