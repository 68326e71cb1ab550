import { ProblemError, type Problem, type RunledgerClient, type Watched, type WatchMessage } from "@runledger/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hub } from "./hub.js";
import type { FromHub, Subject } from "./protocol.js";

/** The server side of a stream. */
class Opened {
  readonly watched: Watched;
  readonly isClosed: () => boolean;
  readonly #waiting: (WatchMessage | ProblemError)[] = [];
  #wake = (): void => {};

  constructor(watched: Watched, signal: AbortSignal) {
    this.watched = watched;
    this.isClosed = () => signal.aborted;
    signal.addEventListener("abort", () => this.#wake());
  }

  say(...messages: (WatchMessage | ProblemError)[]): Promise<unknown> {
    this.#waiting.push(...messages);
    this.#wake();
    return vi.advanceTimersByTimeAsync(100);
  }

  async *read(): AsyncGenerator<WatchMessage> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next instanceof ProblemError) throw next;
      if (next !== undefined) yield next;
      else if (this.isClosed()) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function world() {
  const opened: Opened[] = [];
  const client = {
    async *watch(watched: Watched, options: { signal: AbortSignal; onConnection: (state: "connected") => void }) {
      const stream = new Opened(watched, options.signal);
      opened.push(stream);
      options.onConnection("connected");
      yield* stream.read();
    },
  };
  const hub = new Hub(client as unknown as RunledgerClient);
  const tab = () => {
    const heard: FromHub[] = [];
    const member = hub.join((message) => heard.push(message));
    const watch = (subject: Subject) => member.receive({ type: "watch", id: 1, subject });
    const seqs = () => heard.flatMap((one) => (one.type === "events" ? one.events.map(({ runSeq }) => runSeq) : []));
    return { heard, watch, seqs, leave: () => member.leave() };
  };
  return { tab, opened, open: () => opened.filter((one) => !one.isClosed()) };
}

const run = (runId: string, after = 0): Subject => ({ kind: "run", runId, after });
const event = (runId: string, runSeq: number) => ({ type: "event", event: { runId, runSeq } }) as WatchMessage;
const settle = () => vi.advanceTimersByTimeAsync(200);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("all tabs share one stream, and each receives only its own updates", async () => {
  const { tab, opened } = world();
  const [one, other, list] = [tab(), tab(), tab()];
  one.watch(run("a", 3));
  other.watch(run("b"));
  list.watch({ kind: "runs", query: { workflow: "x" } });
  await settle();
  expect(opened.map(({ watched }) => watched)).toEqual([
    { runs: { a: 3, b: 0 }, lists: { 2: { filter: { workflow: "x" } } }, payloads: false },
  ]);
  await opened[0]!.say(event("b", 1), event("a", 4), { type: "snapshot", list: "2", place: "p.1", runs: [], gone: [] });
  expect([one.seqs(), other.seqs()]).toEqual([[4], [1]]);
  expect(list.heard.map(({ type }) => type)).toEqual(["connection", "runs"]);
});

test("a new stream resumes each feed at its position and delivers nothing twice", async () => {
  const { tab, opened, open } = world();
  const [one, list] = [tab(), tab()];
  one.watch(run("a"));
  list.watch({ kind: "runs", query: {} });
  await settle();
  const [first] = opened;
  await first!.say(event("a", 1), event("a", 2), { type: "change", list: "1", place: "p.7", runs: [], gone: [] });
  const other = tab();
  other.watch(run("b", 9));
  await settle();
  expect(open()).toEqual([opened[1]]);
  expect(opened[1]!.watched).toMatchObject({ runs: { a: 2, b: 9 }, lists: { 1: { after: "p.7" } } });
  await first!.say(event("a", 3)); // it was still in flight
  await opened[1]!.say(event("a", 3), event("a", 3), event("a", 4), event("b", 10));
  expect([one.seqs(), other.seqs()]).toEqual([[1, 2, 3, 4], [10]]);
  expect(one.heard.filter(({ type }) => type === "connection")).toHaveLength(1);
  one.leave();
  await settle();
  expect(opened[2]!.watched.runs).toEqual({ b: 10 });
  other.leave();
  list.leave();
  await settle();
  expect(open()).toEqual([]);
});

test("quick navigation opens a stream for the last page only", async () => {
  const { tab, opened } = world();
  const page = tab();
  for (const runId of ["a", "b", "c"]) {
    page.leave();
    page.watch(run(runId));
  }
  await settle();
  expect(opened.map(({ watched }) => watched.runs)).toEqual([{ c: 0 }]);
});

test("a rejected run or list fails alone", async () => {
  const { tab, opened, open } = world();
  const [one, absent, wrong] = [tab(), tab(), tab()];
  one.watch(run("a"));
  absent.watch(run("absent"));
  wrong.watch({ kind: "runs", query: { error: "" } });
  await settle();
  const problem = { code: "REQUEST_INVALID", family: "fix-input", field: "body.lists.2.filter.error" } as Problem;
  await opened[0]!.say(new ProblemError(problem));
  await settle();
  await opened[1]!.say({ type: "refused", runId: "absent", problem }, event("a", 1));
  const failures = [one, absent, wrong].map(({ heard }) => heard.filter(({ type }) => type === "failed").length);
  expect([failures, one.seqs(), open().length]).toEqual([[0, 1, 1], [1], 1]);
});

test("after the whole stream failed, the next watch opens a new one", async () => {
  const { tab, opened } = world();
  const [one, other] = [tab(), tab()];
  one.watch(run("a"));
  await settle();
  await opened[0]!.say(new ProblemError({ code: "UNAUTHENTICATED", family: "stop" } as Problem));
  expect(one.heard.at(-1)).toMatchObject({ type: "failed" });
  other.watch(run("a"));
  await settle();
  expect(opened).toHaveLength(2);
});

test("feeds that do not fit into one stream take turns on a second one, and none fails", async () => {
  const { tab, opened, open } = world();
  const runIds = Array.from({ length: 170 }, (_, number) => `run-${number}`);
  const tabs = new Map(runIds.map((runId) => [runId, tab()]));
  for (const [runId, one] of tabs) one.watch(run(runId));
  for (let number = 0; number < 25; number++) tab().watch({ kind: "runs", query: { workflow: `w${number}` } });
  await settle();
  const carried = (stream: Opened) => Object.keys(stream.watched.runs ?? {});
  const lists = (stream: Opened) => Object.keys(stream.watched.lists ?? {}).length;
  expect(open().map(carried)).toEqual([runIds.slice(-50), runIds.slice(-100, -50)]);
  expect(open().map(lists)).toEqual([20, 5]);

  await open()[1]!.say(event("run-100", 1));
  await vi.advanceTimersByTimeAsync(5000);
  expect(open().map(carried)).toEqual([runIds.slice(-50), runIds.slice(20, 70)]);
  expect(opened).toHaveLength(3); // the first stream was not replaced
  await vi.advanceTimersByTimeAsync(10_000);
  expect(open()[1]!.watched.runs).toMatchObject({ "run-100": 1, "run-99": 0 });
  await open()[1]!.say(event("run-100", 2));
  expect(tabs.get("run-100")!.seqs()).toEqual([1, 2]);

  for (const runId of runIds.slice(0, 120)) tabs.get(runId)!.leave();
  await settle();
  expect(open().map(carried)).toEqual([runIds.slice(-50), []]);
  expect(open().map(lists)).toEqual([20, 5]);
});
