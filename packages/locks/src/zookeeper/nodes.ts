/** The requests that a lock needs. Paths are absolute. */
import type { Session } from "./session.js";
import type { Part } from "./wire.js";
import { NODE_EXISTS, ZookeeperError } from "./zookeeper-error.js";

const CREATE = 1;
const EXISTS = 3;
const GET_DATA = 4;
const SET_DATA = 5;
const GET_CHILDREN = 8;
const PERSISTENT = 0;
const EPHEMERAL_SEQUENTIAL = 3;
const ALL = 31;
const noWatch = { flag: false };

/** Clients with credentials create nodes that only they can change. */
export type Access = "world" | "creator";

function accessList(access: Access): Part[] {
  const anyone = access === "world";
  return [{ int: 1 }, { int: ALL }, { text: anyone ? "world" : "auth" }, { text: anyone ? "anyone" : "" }];
}

async function create(session: Session, path: string, access: Access, mode: number): Promise<string> {
  const content = { bytes: Buffer.alloc(0) };
  return (await session.request(CREATE, [{ text: path }, content, ...accessList(access), { int: mode }])).text();
}

/** Creates a node and its parents unless they exist. */
export async function createPath(session: Session, path: string, access: Access): Promise<void> {
  const names = path.split("/").slice(1);
  for (let depth = 1; depth <= names.length; depth++)
    await create(session, `/${names.slice(0, depth).join("/")}`, access, PERSISTENT).catch(unlessExists);
}

function unlessExists(error: unknown): void {
  if (!(error instanceof ZookeeperError) || error.code !== NODE_EXISTS) throw error;
}

/** Creates a node that ends with its session. Returns its name, which ends with ten digits in order of creation. */
export async function createPlace(session: Session, parent: string, prefix: string, access: Access): Promise<string> {
  const path = await create(session, `${parent}/${prefix}`, access, EPHEMERAL_SEQUENTIAL);
  return path.slice(parent.length + 1);
}

export async function children(session: Session, path: string): Promise<string[]> {
  return (await session.request(GET_CHILDREN, [{ text: path }, noWatch])).texts();
}

/** Throws a `ZookeeperError` if the node does not exist. */
export async function assertExists(session: Session, path: string): Promise<void> {
  await session.request(EXISTS, [{ text: path }, noWatch]);
}

export async function readData(session: Session, path: string): Promise<{ data: string; version: number }> {
  const answer = await session.request(GET_DATA, [{ text: path }, noWatch]);
  const data = answer.text();
  for (let longs = 0; longs < 4; longs++) answer.long(); // two zxids and two times
  return { data, version: answer.int() };
}

/** Throws a `ZookeeperError` if the version is another one. */
export async function writeData(session: Session, path: string, data: string, version: number): Promise<void> {
  await session.request(SET_DATA, [{ text: path }, { bytes: Buffer.from(data) }, { int: version }]);
}
