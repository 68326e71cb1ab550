// @module-tag B-22
/** Alerts that a process sends to a webhook: signed, retried, bounded and not repeated. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { RecordedAlert } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { signatureOf } from "../outbox/webhook/signature.js";
import { EnvSecrets } from "../secrets/env-secrets.js";
import { openMetrics } from "../telemetry/open-metrics.js";
import { meterOf } from "../telemetry/instruments.js";
import { realTimers } from "../time/timers.js";
import type { AlertEvent } from "./alert-event.js";
import { alertWebhook, type AlertOptions } from "./alert-webhook.js";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: AlertEvent;
}

/** Refuses the first `refusals` requests. */
async function receiver({ refusals = 0, isSilent = false } = {}) {
  const received: Received[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (isSilent) return;
      if (++calls <= refusals) return void response.writeHead(503).end();
      const body = Buffer.concat(chunks).toString("utf8");
      received.push({ headers: request.headers, body, event: JSON.parse(body) as AlertEvent });
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => (server.closeAllConnections(), void server.close()));
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: () => calls };
}

const KEYS = { old: "the-old-key-1", new: "the-new-key-2" };
const variables = { RUNLEDGER_SECRET_ALERT_KEY: KEYS.old, RUNLEDGER_SECRET_ALERT_KEY_2: KEYS.new };

/** Waits are skipped, except those before the process stops. */
const hurried = { ...realTimers, after: (ms: number, run: () => void) => realTimers.after(ms === 2000 ? ms : 1, run) };

async function open(url: string, options: AlertOptions = { allowAddresses: ["127.0.0.1"] }, now = () => 0) {
  const metrics = await openMetrics();
  const faults: unknown[] = [];
  const sink = alertWebhook({
    webhook: { url, secrets: ["alert-key", "alert-key-2"] },
    allowAddresses: options.allowAddresses,
    secrets: new EnvSecrets(variables),
    meter: meterOf(metrics),
    timers: { ...hurried, now },
    fault: (error) => faults.push(error),
  });
  onTestFinished(() => sink.close());
  const counted = async (outcome: string): Promise<number> => {
    const line = new RegExp(`^runledger_alert_webhooks_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
    return Number(line.exec(await metrics.expose())?.[1] ?? 0);
  };
  return { sink, faults, counted };
}

let made = 0;
const alert = (more: Partial<RecordedAlert> = {}): RecordedAlert => ({
  alertId: `alert-${++made}`,
  at: "2026-11-17T08:00:00.000Z",
  code: "RUN_ISOLATED",
  severity: "warning",
  message: "Run run-1 is driven alone.",
  process: "host-1",
  ...more,
});

test("an alert is sent as a CloudEvent that is signed with each key, with its runbook", async () => {
  const { received, url } = await receiver();
  const { sink, counted } = await open(url);
  sink.add(alert({ alertId: "alert-a", runId: "run-1", tenantId: "acme" }));
  await until(() => received.length === 1);
  const [{ headers, body, event }] = received as [Received];
  expect(event).toMatchObject({
    specversion: "1.0",
    id: "alert-a",
    type: "dev.runledger.alert",
    subject: "RUN_ISOLATED",
  });
  expect(event.data).toMatchObject({
    severity: "warning",
    runId: "run-1",
    tenantId: "acme",
    process: "host-1",
    repeated: 0,
  });
  expect(event.data.runbook).toMatch(/docs\/alerts\/RUN_ISOLATED\.md$/);
  const signed = { id: "alert-a", timestamp: Number(headers["webhook-timestamp"]), body };
  expect(headers["webhook-id"]).toBe("alert-a");
  expect(headers["webhook-signature"]).toBe(`${signatureOf(signed, KEYS.old)} ${signatureOf(signed, KEYS.new)}`);
  await until(async () => (await counted("sent")) === 1);
});

test("a receiver that is down gets the alerts later, in order", async () => {
  const { received, url } = await receiver({ refusals: 3 });
  const { sink, faults, counted } = await open(url);
  for (const runId of ["a", "b", "c"]) sink.add(alert({ runId }));
  await until(() => received.length === 3);
  expect(received.map(({ event }) => event.data.runId)).toEqual(["a", "b", "c"]);
  expect(await counted("failed")).toBe(3);
  expect(String(faults[0])).toContain("503");
});

test("the same alert is sent once an hour, and the next one reports how many were held back", async () => {
  const { received, url } = await receiver();
  let now = 0;
  const { sink, counted } = await open(url, undefined, () => now);
  for (let n = 0; n < 5; n++) sink.add(alert());
  sink.add(alert({ runId: "other" }));
  await until(() => received.length === 2);
  expect(await counted("repeated")).toBe(4);
  now = 3_600_000;
  sink.add(alert());
  await until(() => received.length === 3);
  expect(received.map(({ event }) => event.data.repeated)).toEqual([0, 4, 0]);
});

test("a flood of different alerts of one kind is bounded, and does not hold back others", async () => {
  const { received, url } = await receiver();
  const { sink, counted } = await open(url);
  const reject = (n: number, tenantId: string) =>
    sink.add(alert({ code: "TRIGGER_EVENT_REJECTED", tenantId, message: `event ${n}` }));
  for (let n = 0; n < 1000; n++) reject(n, "acme");
  reject(1, "beta");
  await until(() => received.some(({ event }) => event.data.tenantId === "beta"));
  expect(received.length).toBe(21);
  expect(await counted("repeated")).toBe(980);
});

test("internal addresses are refused unless they are allowed, and a wrong address at once", async () => {
  const { received, url, calls } = await receiver();
  const { sink, faults, counted } = await open(url, {});
  sink.add(alert());
  await until(async () => (await counted("dropped")) === 1);
  expect(String(faults[0])).toContain("internal network");
  expect([received.length, calls()]).toEqual([0, 0]);
  await expect(open("ftp://example.com")).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    field: "alerts.webhook.url",
  });
});

test("a receiver that never answers costs a bounded number of alerts and does not keep the process", async () => {
  const { url } = await receiver({ isSilent: true });
  const { sink, counted } = await open(url);
  for (let n = 0; n < 150; n++) sink.add(alert({ tenantId: `t${n}` }));
  expect(await counted("dropped")).toBe(50);
  await sink.close(); // waits two seconds at most
  sink.add(alert({ tenantId: "late" }));
  expect(await counted("sent")).toBe(0);
  expect(await counted("dropped")).toBeGreaterThan(50);
});
