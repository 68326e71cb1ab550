import { chown, open, rename, stat, statfs, type FileHandle } from "node:fs/promises";
import { hasErrorCode } from "./failures.js";
import type { ServerUser } from "./server-user.js";

/** Time, pid and kind of process. */
export const LOG_LINE_PREFIX = "%m [%p] %b ";

export interface ServerLog {
  readonly fd: number;
  /** Lines that this server wrote since, or another one that tried at the same time, without lines sent to clients. */
  sinceOpened(): Promise<string>;
  close(): Promise<void>;
}

const ROTATE_ABOVE_BYTES = 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

/** A plain file: PostgreSQL never waits for a reader, and the file outlives the process that launched the server. */
export async function openServerLog(path: string, user: ServerUser | null): Promise<ServerLog> {
  await rotate(path);
  const file = await open(path, "a+", 0o600);
  if (user !== null) await chown(path, user.uid, user.gid);
  const { size } = await file.stat();
  return { fd: file.fd, sinceOpened: () => readFrom(file, size), close: () => file.close() };
}

async function readFrom(file: FileHandle, offset: number): Promise<string> {
  const { size } = await file.stat();
  const from = Math.max(offset, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - from)), { position: from });
  const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
  return lines.filter((line) => !line.includes("client backend")).join("\n");
}

async function rotate(path: string): Promise<void> {
  try {
    if ((await stat(path)).size > ROTATE_ABOVE_BYTES) await rename(path, `${path}.old`);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

/** A full disk leaves no message in the log. */
export async function isDiskFull(path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize < 64 * 1024;
}
