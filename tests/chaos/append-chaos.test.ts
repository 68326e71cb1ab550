/**
 * L-43: four processes write to hot runs with duplicates while they, the server's backends and the server itself are
 * killed. Faults come after progress, not after time, so that every kind really meets work in flight.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "@runledger/embedded";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { inRepository } from "../../scripts/lib/repository.mjs";

const PROCESSES = 4;
const FAULTS = ["process", "backend", "process", "terminate", "postmaster"] as const;
const ROUNDS = 3;

let folder: string;
let postgres: EmbeddedPostgres;
const children = new Set<ChildProcess>();
let started = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runledger-chaos-"));
  await chmod(folder, 0o711);
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data") }); // durable, as for a user
  await (await PostgresStore.open({ url: postgres.url })).close();
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

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

/** Appends that were answered by the store with a number. */
const acknowledged = async (): Promise<number> =>
  (await operations()).filter(
    (each) => each.kind === "append" && each.parts.some(({ outcome }) => outcome.status === "acknowledged"),
  ).length;

async function progress(): Promise<void> {
  const before = await acknowledged();
  for (let i = 0; i < 600 && (await acknowledged()) < before + 20; i++) await sleep(50);
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const busyBackend = `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
  ORDER BY state = 'active' DESC LIMIT 1`;

/** Answers that were under way are progress too: the fault before may still keep the server busy. */
async function untilDone<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const [done] = await Promise.allSettled([attempt()]);
    if (done.status === "fulfilled") return done.value;
    await sleep(50);
  }
}

const faults: Record<(typeof FAULTS)[number], () => Promise<unknown>> = {
  process: async () => {
    const [victim] = children;
    victim!.kill("SIGKILL");
    startClient();
  },
  terminate: () => query(`SELECT pg_terminate_backend(pid) FROM (${busyBackend}) AS victim`),
  backend: async () => {
    const [victim] = await query(busyBackend);
    process.kill(victim!["pid"] as number, "SIGKILL"); // the server ends all its sessions and recovers from the log
  },
  postmaster: async () => {
    const [pid] = (await readFile(join(folder, "data", "pgdata", "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
  },
};

test(
  "[L-43] kill -9 of processes, backends and the postmaster: the checker finds nothing",
  { timeout: 600_000 },
  async () => {
    for (let i = 0; i < PROCESSES; i++) startClient();
    await progress();
    for (let round = 0; round < ROUNDS; round++) {
      for (const fault of FAULTS) {
        await untilDone(faults[fault]);
        await progress();
      }
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
      .flatMap(({ parts }) =>
        parts.flatMap(({ outcome }) => (outcome.status === "acknowledged" ? outcome.results : [])),
      )
      .filter(({ idempotent }) => idempotent);
    console.log(
      `${appends.length} appends, ${duplicates.length} duplicates, ${unknown.length} without an answer, ${history.logs.map(({ events }) => events.length).join(" + ")} events`,
    );
    expect(unknown.length).toBeGreaterThan(0);
    expect(duplicates.length).toBeGreaterThan(0);
  },
);
