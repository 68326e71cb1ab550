/**
 * Four processes write to hot runs with duplicates while the test kills processes, backends and the server. Faults follow
 * progress instead of time, so that every kind hits work in flight.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "@runledger/embedded";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { query } from "@runledger/test-support/databases";

const PROCESSES = 4;
type Fault = "process" | "backend" | "terminate" | "postmaster";

let folder: string;
let postgres: EmbeddedPostgres;
const children = new Set<ChildProcess>();
let started = 0;

/** Starts a server for the file, and stops it with its clients. */
export function useChaos(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-chaos-"));
    await chmod(folder, 0o711);
    postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data") }); // durable, as in production
    await (await PostgresStore.open({ url: postgres.url })).close();
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
}

function startClient(): void {
  const name = `process-${++started}`;
  const args = [
    inRepository("tests/chaos/append-client.mjs"),
    postgres.url,
    name,
    String(started * 100_000),
    join(folder, `${name}.jsonl`),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  children.add(child);
  child.on("exit", () => children.delete(child));
}

async function operations(): Promise<Operation[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

/** Appends that the store acknowledged. */
const acknowledged = async (): Promise<number> =>
  (await operations()).filter(
    (each) => each.kind === "append" && each.parts.some(({ outcome }) => outcome.status === "acknowledged"),
  ).length;

async function progress(): Promise<void> {
  const before = await acknowledged();
  for (let i = 0; i < 600 && (await acknowledged()) < before + 20; i++) await sleep(50);
}

const busyBackend = `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
  ORDER BY state = 'active' DESC LIMIT 1`;

/** Responses in flight count as progress: the previous fault may still keep the server busy. */
async function untilDone<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const [done] = await Promise.allSettled([attempt()]);
    if (done.status === "fulfilled") return done.value;
    await sleep(50);
  }
}

const faults: Record<Fault, () => Promise<unknown>> = {
  process: async () => {
    const [victim] = children;
    victim!.kill("SIGKILL");
    startClient();
  },
  terminate: () => query(postgres.url, `SELECT pg_terminate_backend(pid) FROM (${busyBackend}) AS victim`),
  backend: async () => {
    const [victim] = await query(postgres.url, busyBackend);
    process.kill(victim!["pid"] as number, "SIGKILL"); // the server closes all sessions and recovers from its log
  },
  postmaster: async () => {
    const [pid] = (await readFile(join(folder, "data", "pgdata", "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
  },
};

/** Judges the history. Returns how many appends got no answer, and how many were duplicates. */
export async function appendUnder(
  planned: readonly Fault[],
): Promise<{ readonly unknown: number; readonly duplicates: number }> {
  for (let i = 0; i < PROCESSES; i++) startClient();
  await progress();
  for (const fault of planned) {
    await untilDone(faults[fault]);
    await progress();
  }
  const ended = [...children].map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(ended);

  const store = await untilDone(() => PostgresStore.open({ url: postgres.url }));
  const history = mergeHistories([{ operations: await operations() }, await readEnd(store)]);
  await store.close();
  expect(checkHistory(history).violations).toEqual([]);

  const appends = history.operations.filter((operation) => operation.kind === "append");
  const unknown = appends.filter(({ parts }) => parts.some(({ outcome }) => outcome.status === "unknown"));
  const duplicates = appends
    .flatMap(({ parts }) => parts.flatMap(({ outcome }) => (outcome.status === "acknowledged" ? outcome.results : [])))
    .filter(({ idempotent }) => idempotent);
  console.log(
    `${appends.length} appends, ${duplicates.length} duplicates, ${unknown.length} without an answer, ${history.logs.map(({ events }) => events.length).join(" + ")} events`,
  );
  return { unknown: unknown.length, duplicates: duplicates.length };
}
