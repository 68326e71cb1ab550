// @module-tag R-03
// @module-tag R-07
// @module-tag H-10
import { ProblemError, type Problem, type RunledgerClient } from "@runledger/client";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { numbered, step } from "@runledger/test-support/given";
import { expect, test } from "vitest";
import type { HubUpdate } from "../../live/protocol.js";
import { RunModel } from "./run-model.js";

const log = numbered([1, 2, 3, 4, 5].map((n) => step(`s${n}`, "Started")));
const without = (...lost: readonly number[]) => log.filter(({ runSeq }) => !lost.includes(runSeq));
const query = { seq: null, open: [], find: "", zoom: null, statuses: [], from: 0, to: 20, step: null, frames: [] };

interface Given {
  readonly events: () => readonly CanonicalEngineEvent[];
  readonly headSeq?: number;
  readonly stale?: boolean;
  /** The log's numbers may have gaps. Those up to here stay empty (P10). */
  readonly settledSeq?: number;
}

/** Opens a model on a server that serves these events. */
async function opened({ events, headSeq = 5, stale, settledSeq }: Given) {
  const seen = { loads: 0, failures: [] as unknown[], receive: (_: HubUpdate): void => {} };
  const header = { runId: "r", lastEventSeq: headSeq, status: "RUNNING", artifacts: [], ...(stale && { stale }) };
  const client = {
    getRun: async () => header,
    listSteps: async () => ({ items: [], next: null }),
    listEvents: async (_: string, { after }: { after: number }) => {
      if (++seen.loads > 20) throw new Error("The model loads in a loop.");
      const items = events().filter(({ runSeq }) => runSeq > after);
      return { items, next: null, ...(settledSeq !== undefined && after < settledSeq && { settledSeq }) };
    },
  } as unknown as RunledgerClient;
  const model = new RunModel("r", {
    client,
    watch: (_, listener) => {
      seen.receive = listener;
      return () => {};
    },
    onChange: () => {},
    onConnection: () => {},
    onFailure: (error) => void seen.failures.push(error),
  });
  await model.open();
  return { seen, view: () => model.view(query)!, at: (seq: number) => model.view({ ...query, seq })! };
}

const lost = (what: string) => `${what} missing from the log of run r. Restore the log from a backup.`;

test("F6: the model stops before a gap, reports it, and does not load again and again", async () => {
  const { seen, view } = await opened({ events: () => without(3) });
  expect(seen).toMatchObject({ loads: 1, failures: [] });
  expect(view().damage).toBe(lost("Event 3 is"));
});

test("F6: the model reports events that the head counts and the server does not have", async () => {
  const { seen, view } = await opened({ events: () => without(4, 5) });
  expect(seen).toMatchObject({ loads: 1, failures: [] });
  expect(view().damage).toBe(lost("Events 4 to 5 are"));
});

test("F6: events on the stream after a gap are not folded, and start one further load", async () => {
  const { seen, view } = await opened({ events: () => without(3, 4, 5), headSeq: 2 });
  expect(view()).toMatchObject({ seq: 2, damage: null });
  for (const event of without(1, 2, 3)) seen.receive({ type: "events", events: [event] });
  await expect.poll(() => view().damage).toBe(lost("Event 3 is"));
  expect(view().seq).toBe(2);
  expect(seen.loads).toBeLessThanOrEqual(3);
  expect(seen.failures).toEqual([]);
});

test("a run that the server marks as stale, or refuses to stream, is shown as damaged", async () => {
  const { view, seen } = await opened({ events: () => without(3, 4, 5), headSeq: 2, stale: true });
  expect(view().damage).toContain("The server cannot read this run completely.");
  seen.receive({ type: "failed", problem: { code: "LOG_GAP", detail: lost("Event 3 is") } as Problem });
  expect(view().damage).toBe(lost("Event 3 is"));
});

test("an unreachable server is not reported as damage", async () => {
  const fails = new ProblemError({ code: "STORE_UNAVAILABLE", title: "", detail: "", status: 503 } as Problem);
  const { view, seen } = await opened({
    events: () => {
      throw fails;
    },
  });
  expect(seen.failures).toEqual([fails]);
  expect(view().damage).toBeNull();
});

test("P10: a gap that stays empty is passed, and the states on both sides can be viewed", async () => {
  const { seen, view, at } = await opened({ events: () => without(3), settledSeq: 3 });
  expect(seen).toMatchObject({ loads: 1, failures: [] });
  expect(view()).toMatchObject({ seq: 5, headSeq: 5, damage: null });
  expect([2, 3, 4].map((seq) => at(seq).seq)).toEqual([2, 2, 4]);
  expect([2, 3, 4].map((seq) => at(seq).rowCount)).toEqual([2, 2, 3]);
});

test("P10: events on the stream after a settled gap are folded once the log confirms that it stays empty", async () => {
  let known = without(3, 4, 5);
  const { seen, view } = await opened({ events: () => known, headSeq: 2, stale: true, settledSeq: 3 });
  expect(view()).toMatchObject({ seq: 2 });
  expect(view().damage).toContain("The server cannot read this run completely.");
  known = without(3);
  for (const event of without(1, 2, 3)) seen.receive({ type: "events", events: [event] });
  await expect.poll(() => view()).toMatchObject({ seq: 5, damage: null });
  expect(seen.loads).toBeLessThanOrEqual(3);
});

test("P10: a gap that fills late ends the warning, and no event is lost", async () => {
  const { seen, view, at } = await opened({ events: () => without(3, 4, 5), headSeq: 2, stale: true });
  seen.receive({ type: "events", events: without(1, 2) });
  expect(view()).toMatchObject({ seq: 5, damage: null });
  expect(at(3)).toMatchObject({ seq: 3, rowCount: 3 });
});
