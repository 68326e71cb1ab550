// @module-tag D-02
/** Retention deletes no artifact that an open or a kept run refers to (A5). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readEventData, type CanonicalEngineEvent, type FullStateStore } from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { override } from "@runledger/runtime/encryption/override";
import { openStorage } from "@runledger/runtime/artifacts/open-storage";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { locatedStore } from "@runledger/runtime/ledger/located-store";
import { forkRun } from "@runledger/runtime/runs/fork-run";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { connect, workflow } from "runledger";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const ROWS = 10_000;
const make = () => Array.from({ length: ROWS }, (_, id) => ({ id, name: `customer ${id}` }));

interface Control {
  mayFail: boolean;
  /** By run: the data that its last step has read. */
  readonly counted: Map<string, string>;
}

/** A fork from `go` keeps two steps, and waits until it may read what they wrote. */
function flowOf(control: Control) {
  return workflow("flow", { version: "1", signals: { go: z.null() } }, (w) => {
    const rows = w.step("rows", () => make());
    const file = w.step("file", ({ artifact }) => artifact.write("file", "kept"));
    const go = w.waitForSignal("go", { after: [rows, file] });
    const options = { needs: { rows, file }, after: [go], retry: { attempts: 1 } };
    return w.step("count", options, async ({ runId, needs, artifact }) => {
      if (control.mayFail) throw new Error("not now");
      const read = `${needs.rows.length} ${await artifact.read(needs.file).text()}`;
      control.counted.set(runId, read);
      return read;
    });
  });
}

type Flow = ReturnType<typeof flowOf>;
const WHOLE = `${ROWS} kept`;

interface Here {
  readonly ledger: Ledger;
  readonly flow: Flow;
  readonly control: Control;
}

async function opened(store: string, place: string, recorder?: HistoryRecorder): Promise<Here> {
  const folder = mkdtempSync(join(tmpdir(), "runledger-artifacts-"));
  const database = store === "memory" ? null : await freshDatabase();
  const artifacts = place === "store:" ? place : pathToFileURL(folder).href;
  const ledger =
    recorder === undefined
      ? await connect(database?.url ?? "memory:", { artifacts })
      : await recorded(database!.url, artifacts, recorder);
  onTestFinished(async () => {
    await ledger.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  const control: Control = { mayFail: false, counted: new Map() };
  const flow = flowOf(control);
  await ledger.worker({ workflows: [flow] });
  return { ledger, flow, control };
}

async function recorded(url: string, artifacts: string, recorder: HistoryRecorder): Promise<Ledger> {
  const recording = recorder.recording("ledger", (call) => call.proceed());
  const store = interceptStore(await PostgresStore.open({ url }), recording);
  const located = artifacts === "store:" ? store : locatedStore(store, await openStorage(artifacts));
  return new Ledger(located, () => located.close());
}

/** Checks the runs that retention has left. */
async function expectConsistent({ store }: Ledger, recorder: HistoryRecorder): Promise<void> {
  const end = await readEnd(store);
  const left = new Set(end.logs.map(({ runId }) => runId));
  const operations = (recorder.operations as Operation[]).flatMap((operation): Operation[] => {
    if (operation.kind === "append")
      return [{ ...operation, parts: operation.parts.filter(({ runId }) => left.has(runId)) }];
    const { runId } = operation.kind === "checkpoint" ? operation.checkpoint : operation;
    return left.has(runId) ? [operation] : [];
  });
  expect(checkHistory(mergeHistories([{ operations }, end])).violations).toEqual([]);
}

async function finished({ ledger, flow }: Here) {
  const run = await ledger.start(flow);
  await run.signal("go", null);
  await run.result().catch(() => {});
  return run;
}

const places = [
  ["memory", "store:"],
  ["postgres", "store:"],
  ["postgres", "file:"],
] as const;

describe.each(places)("on %s with artifacts in %s", (store, place) => {
  test("a run is kept for a fork that no projector has seen", async () => {
    const here = await opened(store, place);
    const { ledger } = here;
    const projector = ledger.projector();
    const origin = await finished(here);
    await until(async () => (await ledger.store.archive.archiveRun(origin.id)).archived);
    await projector.stop();
    const fork = await ledger.fork(origin, { from: "go" });
    const outcome = await ledger.store.retention.deleteRun(origin.id);
    expect(outcome).toEqual({ runId: origin.id, deleted: false, reason: "forked" });
    await send(here, fork.id);
    expect(await fork.result()).toBe(WHOLE);
  });

  test("a fork of a run that is deleted meanwhile does not start", async () => {
    const here = await opened(store, place);
    const { ledger } = here;
    ledger.projector();
    const origin = await finished(here);
    await until(async () => (await ledger.store.archive.archiveRun(origin.id)).archived);
    const { queue } = ledger.store;
    const late: FullStateStore = override(ledger.store, {
      queue: override(queue, {
        startRun: async (start) => {
          expect((await ledger.store.retention.deleteRun(origin.id)).deleted).toBe(true);
          return queue.startRun(start);
        },
      }),
    });
    await expect(forkRun(late, origin.id, { from: "go" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect(await ledger.store.listHeads()).toEqual([]);
  });
});

/** Lets a fork read what it keeps. */
async function send({ ledger, flow }: Here, id: string): Promise<void> {
  await (await ledger.get(flow, id)).signal("go", null);
}

/** Every reference in the events of a run can be read. */
async function expectReadable({ store }: Ledger, events: readonly CanonicalEngineEvent[]): Promise<void> {
  const port = artifactPort(() => store.artifacts);
  for (const { eventType, eventData } of events) {
    if (eventType !== "StepCompleted" && eventType !== "StepFailed") continue;
    for (const artifact of readEventData(eventType, eventData).artifacts ?? []) {
      let bytes = 0;
      for await (const chunk of port.read(artifact)) bytes += chunk.byteLength;
      expect(bytes).toBe(artifact.sizeBytes);
    }
  }
}

/** Deletes runs, or the content of their artifacts. */
const policies = {
  runs: [{ archiveAfter: "0s", deleteAfter: "0s" }],
  artifacts: [{ archiveAfter: "0s" }, { kind: "artifacts", deleteAfter: "0s" }],
} as const;
const races = [
  ["runs", "store:"],
  ["runs", "file:"],
  ["artifacts", "store:"],
  ["artifacts", "file:"],
] as const;

test.each(races)("retention of %s races with retries and forks, with artifacts in %s", async (kind, place) => {
  const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
  const here = await opened("postgres", place, recorder);
  const { ledger, control } = here;
  ledger.projector();
  control.mayFail = true;
  const failed = await Promise.all(Array.from({ length: 12 }, () => finished(here)));
  control.mayFail = false;
  for (const policy of policies[kind]) await ledger.retention.set(policy);
  const over = new AbortController();
  const cleaning = (async () => {
    while (!over.signal.aborted) await ledger.retention.run();
  })();
  const refusals = new Set<unknown>();
  const accepted = async (action: Promise<string>): Promise<string | null> =>
    action.catch((error: unknown) => (refusals.add((error as { code?: unknown }).code), null));
  const retried = failed.map((run) => accepted(run.retry().then(() => run.id)));
  const forked = failed.map((run) => accepted(ledger.fork(run, { from: "go" }).then(({ id }) => id)));
  const open = (await Promise.all([...retried, ...forked])).filter((id) => id !== null);
  const forks = (await Promise.all(forked)).filter((id) => id !== null);
  for (const id of forks) await send(here, id);
  await until(() => open.every((id) => control.counted.has(id)));
  over.abort();
  await cleaning;
  expect(open.map((id) => control.counted.get(id))).toEqual(open.map(() => WHOLE));
  for (const code of refusals)
    expect(["RUN_NOT_FOUND", "RUN_ARCHIVED", "SIGNAL_REJECTED", "ARTIFACT_EXPIRED"]).toContain(code);
  const heads = await ledger.store.listHeads({ archived: true });
  // a fork keeps what its origin wrote; other runs have lost it by now, or will
  for (const { runId } of heads.filter((head) => kind === "runs" || forks.includes(head.runId)))
    await expectReadable(ledger, await ledger.store.fetchEvents(runId));
  await expectConsistent(ledger, recorder);
});
