/** Plays the journey of a run on a store: with commands in processes, or in one process on a store in memory. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { verify } from "@runledger/runtime/projector/verify";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { copyRuns } from "@runledger/runtime/transfer/copy-runs";
import { fileTarget } from "@runledger/runtime/transfer/file-target";
import { MemoryStore } from "@runledger/store-memory";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, freshProject, startRunledger, type Running } from "@runledger/test-support/runledger-command";
import { workflow } from "runledger";
import { expect } from "vitest";

export interface World extends AsyncDisposable {
  startWorker(): Promise<void>;
  /** Stops the worker without releasing its run. */
  loseWorker(): Promise<void>;
  startRun(): Promise<string>;
  /** Lets the first step finish. */
  letStepFinish(): void;
  eventsOf(runId: string): Promise<readonly string[]>;
  signal(runId: string, name: string): Promise<void>;
  /** Throws unless all derived data matches the logs. */
  verify(): Promise<void>;
  /** Returns the folder. */
  exportAll(): Promise<string>;
}

const LEASE_MS = 2000;

const config = `import { defineConfig } from "runledger";
export default defineConfig({ workflows: ["./workflows.js"], worker: { leaseMs: ${LEASE_MS} } });`;

const workflows = `import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const long = w.step("long", async () => { while (!existsSync("go")) await sleep(20); return "done"; });
  const release = w.waitForSignal("release", { after: [long] });
  return w.step("last", { needs: { long }, after: [release] }, ({ needs }) => needs.long);
});`;

/** Each worker is a process, and is lost by kill -9. */
export async function commandWorld(store: string, variables: Readonly<Record<string, string>> = {}): Promise<World> {
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const where = { cwd, env: { ...variables, RUNLEDGER_STORE: store, XDG_STATE_HOME: cwd } };
  let worker: Running | null = null;
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runledger(where, ...args);
    expect(code, stderr + stdout).toBe(0);
    return stdout;
  };
  await ok("store", "migrate");
  return {
    startWorker: async () => {
      worker = startRunledger(where, "worker");
      await worker.says("Next ");
    },
    loseWorker: async () => {
      worker!.kill("SIGKILL");
      await worker!.ended;
    },
    startRun: async () => (JSON.parse(await ok("run", "slow", "--json")) as { runId: string }).runId,
    letStepFinish: () => writeFileSync(join(cwd, "go"), ""),
    eventsOf: async (runId) =>
      (await ok("events", runId, "--json"))
        .trim()
        .split("\n")
        .map((line) => labelOf(JSON.parse(line) as Labeled)),
    signal: async (runId, name) => void (await ok("signal", runId, name)),
    verify: async () => void (await ok("store", "verify")),
    exportAll: async () => {
      expect(await ok("store", "export", "--to", "exported")).toContain("verified by count and checksum");
      return join(cwd, "exported");
    },
    [Symbol.asyncDispose]: async () => {
      worker?.kill("SIGTERM");
      await worker?.ended;
    },
  };
}

/** A store in memory ends with its process. So a lost worker is one whose calls of the store never return. */
export async function memoryWorld(): Promise<World> {
  const store = new MemoryStore();
  const go = join(freshFolder(), "go");
  const slow = workflow("slow", { version: "1" }, (w) => {
    const long = w.step("long", async ({ signal }) => {
      while (!existsSync(go)) await sleep(20, undefined, { signal });
      return "done";
    });
    const release = w.waitForSignal("release", { after: [long] });
    return w.step("last", { needs: { long }, after: [release] }, ({ needs }) => needs.long);
  });
  const ledgers: Ledger[] = [];
  const own = new Ledger(store, async () => {});
  let isLost = false;
  let restore = (): void => {};
  const isRestored = new Promise<void>((resolve) => (restore = resolve));
  return {
    startWorker: async () => {
      const first = ledgers.length === 0;
      const around = interceptStore(store, async ({ proceed }) => {
        if (first && isLost) await isRestored;
        return proceed();
      });
      const ledger = new Ledger(around, async () => {});
      ledgers.push(ledger);
      await ledger.worker({ workflows: [slow], leaseMs: LEASE_MS, pollMs: 20 });
    },
    loseWorker: async () => void (isLost = true),
    startRun: async () => (await own.start(slow)).id,
    letStepFinish: () => writeFileSync(go, ""),
    eventsOf: async (runId) => (await store.fetchEvents(runId)).map(labelOf),
    signal: (runId, name) => own.signal(runId, name, null),
    verify: async () => {
      for await (const { differences, damage } of verify(store)) expect([differences, damage]).toEqual([[], []]);
    },
    exportAll: async () => {
      const folder = join(freshFolder(), "exported");
      await using target = await fileTarget(folder);
      for await (const run of copyRuns(store, target)) expect(run.damage).toBeUndefined();
      return folder;
    },
    [Symbol.asyncDispose]: async () => {
      restore();
      for (const ledger of [...ledgers, own]) await ledger.close();
    },
  };
}

interface Labeled {
  readonly eventType: string;
  readonly stepId?: string;
}

const labelOf = ({ eventType, stepId }: Labeled): string =>
  stepId === undefined ? eventType : `${eventType} ${stepId}`;
