// @module-tag B-20
/** Traces, metrics and logs of real processes, as a collector receives them. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { startOtlpReceiver } from "@runledger/test-support/otlp-receiver";
import { freshProject, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";
import { logOf } from "@runledger/test-support/run-workflow";
import { until } from "@runledger/test-support/until";

const workflows = `import { workflow } from "runledger";
import { z } from "zod";
const retry = { attempts: 3, delay: "10ms" };
export const calls = workflow("calls", { version: "1", input: z.object({ url: z.string() }) }, (w) => {
  const flaky = w.step("flaky", { retry }, ({ attempt }) => {
    if (attempt < 3) throw new Error("not yet");
    return attempt;
  });
  const http = w.http("http", { after: [flaky], request: ({ input }) => ({ url: input.url }) });
  w.command("command", { after: [http], run: ["${process.execPath}", "-e", "console.log(process.env.TRACEPARENT)"] });
});
export const plain = workflow("plain", { version: "1" }, (w) => {
  const one = w.step("one", () => 1);
  const go = w.waitForSignal("go", { after: [one] });
  return w.step("two", { after: [go] }, () => 2);
});`;

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

interface World {
  readonly where: Where;
  readonly store: PostgresStore;
}

async function world(variables: Record<string, string>): Promise<World> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const config = `export default { workflows: ["./workflows.js"] };`;
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  const store = await PostgresStore.open({ url: database.url });
  onTestFinished(() => store.close());
  return { where: { cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd, ...variables } }, store };
}

/** A server of a user, which keeps the header of the last request. */
async function userServer(): Promise<{ readonly url: string; readonly received: { traceparent?: string } }> {
  const received: { traceparent?: string } = {};
  const server = createServer((request, response) => {
    received.traceparent = String(request.headers["traceparent"]);
    response.end("fine");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly runId?: string;
  readonly stepId?: string;
  readonly attempt?: number;
  readonly tenantId?: string;
  readonly traceId?: string;
}

const logLines = ({ output }: Running): LogLine[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith(`{"level"`))
    .map((line) => JSON.parse(line) as LogLine);

const isFinished = async (store: PostgresStore, runId: string): Promise<boolean> =>
  (await store.fetchEvents(runId)).at(-1)?.eventType === "RunCompleted";

test(
  "a run is part of its caller's trace, with linked spans per attempt, through HTTP calls and commands",
  { tags: ["B-21"] },
  async () => {
    const [receiver, user] = [await startOtlpReceiver(), await userServer()];
    const { where, store } = await world({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      RUNLEDGER_LOG_LEVEL: "debug",
    });
    const server = startRunledger(where, "serve", "--port", "0", "--json");
    const { url } = JSON.parse(await server.says(/^\{"url".*\}$/m)) as { url: string };
    const worker = startRunledger(where, "worker");
    await worker.says("Next ");
    const token = (await runledger(where, "keys", "token")).stdout.trim();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/runs`, {
      method: "POST",
      headers: { ...headers, traceparent: `00-${TRACE}-${CALLER}-01` },
      body: JSON.stringify({ workflow: "calls", input: { url: user.url } }),
    });
    const { runId } = (await response.json()) as { runId: string };
    await until(() => isFinished(store, runId));

    const attempts = () => receiver.spans.filter((span) => span.attributes["runledger.attempt"] !== undefined);
    await until(() => attempts().length === 5 && receiver.spans.some(({ name }) => name === "start calls"));
    expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const start = receiver.spans.find(({ name }) => name === "start calls")!;
    expect(start.parentSpanId).toBe(CALLER);
    expect(new Set(attempts().map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([start.spanId]));

    const flaky = [1, 2, 3].map((n) =>
      attempts().find(({ name, attributes }) => name === "calls flaky" && attributes["runledger.attempt"] === n)!,
    );
    expect(flaky.map(({ status }) => status)).toEqual([2, 2, 0]);
    const ids = flaky.map(({ spanId }) => spanId);
    expect(flaky.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([[], ids.slice(0, 1), ids.slice(0, 2)]);
    expect(flaky[0]!.attributes).toMatchObject({
      "runledger.run.id": runId,
      "error.type": expect.any(String) as string,
    });
    expect(JSON.stringify(receiver.spans)).not.toContain("not yet"); // messages may contain data

    const events = await store.fetchEvents(runId);
    const failed = events.filter(({ eventType }) => eventType === "StepFailed");
    expect(failed.map(({ eventData }) => (eventData as { spanId?: string }).spanId)).toEqual(ids.slice(0, 2));
    expect(events[0]!.eventData).toMatchObject({ trace: { traceparent: `00-${TRACE}-${start.spanId}-01` } });

    const spanOf = (step: string): string => attempts().find(({ name }) => name === `calls ${step}`)!.spanId;
    expect(user.received.traceparent).toBe(`00-${TRACE}-${spanOf("http")}-01`);
    expect(await logOf(store, runId, "command")).toMatchObject([{ text: `00-${TRACE}-${spanOf("command")}-01` }]);
    await until(() => receiver.metrics.has("runledger_appended_events_total"));

    const lines = logLines(worker);
    const about = { runId, stepId: "flaky", attempt: 1, tenantId: "default", traceId: TRACE, spanId: ids[0] };
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", code: "STEP_ERROR", ...about }));
    expect(lines).toContainEqual(expect.objectContaining({ level: "debug", runId, stepId: "command", traceId: TRACE }));
    for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  },
);

test("workers contribute to one trace of a run that waits between them, whose caller had none", async () => {
  const receiver = await startOtlpReceiver();
  const { where, store } = await world({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "100" });
  const started = await runledger(where, "run", "plain", "--json");
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  const first = startRunledger(where, "worker");
  const isWaiting = async (): Promise<boolean> =>
    (await store.fetchEvents(runId)).some(({ stepId }) => stepId === "go") && receiver.spans.length === 1;
  await until(isWaiting); // the span is exported, although the run is open
  first.kill("SIGTERM");
  await first.ended;
  const second = startRunledger(where, "worker");
  await runledger(where, "signal", runId, "go", "null");
  await until(() => isFinished(store, runId));
  second.kill("SIGTERM");
  expect(await second.ended).toMatchObject({ code: 0 }); // it sends what is left
  const derived = createHash("sha256").update(`trace of ${runId}`).digest("hex").slice(0, 32);
  expect(receiver.spans.map(({ name, traceId }) => [name, traceId])).toEqual([
    ["plain one", derived],
    ["plain two", derived],
  ]);
  expect((await store.fetchEvents(runId))[0]!.eventData).not.toHaveProperty("trace");
});

test("a setting of OpenTelemetry that is not supported stops a worker with advice", async () => {
  const { where } = await world({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  });
  const worker = startRunledger(where, "worker");
  await worker.says(/CONFIG_INVALID +OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported\. Use http\/json/);
  expect((await worker.ended).code).toBe(2);
});
