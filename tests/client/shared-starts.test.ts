// @module-tag U-17
/** Concurrent starts share a request. Callers see no difference. */
import { createServer } from "node:http";
import { RunledgerClient } from "@runledger/client";
import { checkHistory } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, TOKEN } from "@runledger/test-support/test-server";

interface Start {
  readonly workflow: string;
  readonly requestId: string;
}
const started = ({ workflow: name }: Start) => ({ runId: `run-${name}`, created: true, workflow: name, version: "1" });
const problem = (code: string, family: string, status: number) =>
  ({ type: "/", title: "t", status, detail: code, code, family, requestId: "1" }) as const;

/** A server that starts every run unless `refusal` returns a problem for it. */
async function starting(refusal: (start: Start, together: boolean) => object | null = () => null) {
  const asked: (readonly string[])[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const together = request.url === "/api/v1/runs/starts";
      const body = JSON.parse(text) as Start & { readonly starts: readonly Start[] };
      const starts = together ? body.starts : [body];
      asked.push(starts.map((start) => start.workflow));
      const outcomes = starts.map((start) => {
        const refused = refusal(start, together);
        return refused === null ? { run: started(start) } : { problem: refused as { status: number; whole?: boolean } };
      });
      const whole = outcomes.find((one) => one.problem?.whole === true || (!together && one.problem !== undefined));
      const type = whole === undefined ? "application/json" : "application/problem+json";
      response.writeHead(whole?.problem?.status ?? 200, { "content-type": type });
      response.end(JSON.stringify(whole?.problem ?? (together ? { outcomes } : outcomes[0]!.run)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { client: new RunledgerClient({ url: `http://127.0.0.1:${port}`, retryDelayMs: 1 }), asked };
}

const names = (many: number): string[] => Array.from({ length: many }, (_, place) => `flow-${place}`);
const startAll = (client: RunledgerClient, workflows: readonly string[]) =>
  Promise.allSettled(workflows.map((name) => client.startRun({ workflow: name })));

test("a single start has its own request, concurrent starts share some, and each has its result", async () => {
  const { client, asked } = await starting();
  expect(await client.startRun({ workflow: "alone" })).toMatchObject({ runId: "run-alone" });
  const all = await startAll(client, names(250));
  expect(all).toMatchObject(names(250).map((name) => ({ status: "fulfilled", value: { runId: `run-${name}` } })));
  expect(asked.map((workflows) => workflows.length)).toEqual([1, 100, 100, 50]);
});

test("large starts share a request with few others", async () => {
  const { client, asked } = await starting();
  await Promise.all(names(4).map((name) => client.startRun({ workflow: name, input: "x".repeat(200_000) })));
  expect(asked.map((workflows) => workflows.length)).toEqual([2, 2]);
});

test("an error of one start is reported to its caller only", async () => {
  const { client, asked } = await starting(({ workflow: name }, together) => {
    if (name === "flow-1") return problem("REQUEST_CHANGED", "stop", 409);
    return name === "flow-2" && together ? problem("QUEUE_FULL", "retry", 429) : null;
  });
  expect(await startAll(client, names(4))).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "REQUEST_CHANGED", status: 409 } },
    { status: "fulfilled", value: { runId: "run-flow-2" } }, // it was sent again, alone
    { status: "fulfilled" },
  ]);
  expect(asked).toEqual([names(4), ["flow-2"]]);
});

test("a batch that is rejected because of one start is sent again one by one", async () => {
  const { client, asked } = await starting(({ workflow: name }) =>
    name === "flow-1" ? { ...problem("REQUEST_INVALID", "fix-input", 400), whole: true } : null,
  );
  const all = await startAll(client, names(3));
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(asked[0]).toEqual(names(3));
  expect(asked.slice(1).flat().sort()).toEqual(names(3));
});

test("a caller without permission is rejected with one request for all starts", async () => {
  const { client, asked } = await starting(() => ({ ...problem("FORBIDDEN", "stop", 403), whole: true }));
  const all = await startAll(client, names(3));
  expect(all).toMatchObject(names(3).map(() => ({ status: "rejected", reason: { code: "FORBIDDEN" } })));
  expect(asked).toHaveLength(1);
});

const counted = workflow("counted", { version: "1", input: z.object({ rows: z.number() }) }, (w) =>
  w.step("one", ({ input }) => input.rows),
);

test("concurrent calls with the same request id start one run on a real server", async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  await using store = await PostgresStore.open({ url: database.url });
  const recorder = new HistoryRecorder();
  const recorded = interceptStore(store, (call) => recorder.recording("server", ({ proceed }) => proceed())(call));
  const { server } = await testServer([counted], { ledger: new Ledger(recorded, async () => {}) });
  let requests = 0;
  const counting: typeof fetch = (input, init) => {
    requests++;
    return fetch(input, init);
  };
  const client = new RunledgerClient({ url: server.url, token: TOKEN, fetch: counting });
  const start = (place: number) =>
    client.startRun({
      workflow: "counted",
      input: { rows: place % 50 === 7 ? "seven" : place % 50 },
      requestId: `request-${place % 50}`,
    });
  const all = await Promise.allSettled(Array.from({ length: 200 }, (_, place) => start(place)));
  const runs = all.map((one, place) => (one.status === "fulfilled" ? one.value.runId : `refused ${place % 50}`));
  expect(new Set(runs).size).toBe(50);
  expect(runs.slice(50, 100)).toEqual(runs.slice(0, 50));
  expect(runs.filter((run) => run === "refused 7")).toHaveLength(4);
  expect(requests).toBe(2);
  expect(await store.listHeads()).toHaveLength(49);
  expect(checkHistory(await recorder.history(store)).violations).toEqual([]);
});
