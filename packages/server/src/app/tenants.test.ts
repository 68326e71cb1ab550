// @module-tag U-14
/**
 * Calls every route as the wrong tenant and with the wrong role. The routes come from the list that the server
 * registers, so a new route is tested automatically.
 */
import { accessRoles, type AccessRole } from "@runledger/contracts";
import { RunledgerClient } from "@runledger/client";
import { workflow, type Ledger } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";
import { routes } from "./routes.js";
import type { Route } from "../http/define-route.js";

/** Part of every name in the victim's data, and of no other name. */
const SECRET = "zebra";
const guarded = workflow(
  "shared-flow",
  {
    version: "1",
    input: z.object({ note: z.string() }),
    signals: { go: z.object({ by: z.string() }), other: z.unknown() },
  },
  (w) => {
    const first = w.step("first", ({ input, log }) => {
      log(`${SECRET}-log ${input.note}`);
      return { out: `${SECRET}-output` };
    });
    return w.waitForSignal("go", { after: [first] });
  },
);

/** Creates two tenants. Only the victim has a run, a schedule and limits. */
async function twoTenants() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const served = await testServer([guarded], { store: database.url });
  const { ledger } = served;
  const keys = async (tenantId: string) => {
    const made = accessRoles.map(async (role) => {
      const params = { name: `${tenantId}-${role}`, role, tenantId, ttlMs: null, createdBy: "test" };
      return [role, await createApiKey(ledger.store.access, params)] as const;
    });
    return Object.fromEntries(await Promise.all(made)) as Record<AccessRole, Awaited<ReturnType<typeof createApiKey>>>;
  };
  const victim = await keys(`${SECRET}-tenant`);
  const attacker = await keys("attacker");
  const projector = ledger.projector();
  const worker = await ledger.worker({ workflows: [guarded] });
  const options = {
    tenantId: `${SECRET}-tenant`,
    labels: { team: `${SECRET}-team` },
    concurrencyKey: `${SECRET}-key`,
    requestId: `${SECRET}-request`,
  };
  const run = await ledger.start(guarded, { input: { note: `${SECRET}-input` }, ...options });
  await ledger.signal(run.id, "other", { by: `${SECRET}-signal` });
  for (let steps = 0; steps < 2; steps = (await run.snapshot()).stepCount) await pause();
  await ledger.schedules.put({
    id: `${SECRET}-schedule`,
    workflow: guarded,
    input: { note: `${SECRET}-scheduled` },
    cron: "0 3 * * *",
    tenantId: `${SECRET}-tenant`,
  });
  await addDeadLetter(ledger, run.id);
  const source = { type: "webhook", secrets: [`${SECRET}-webhook`] };
  await ledger.triggers.put({ id: `${SECRET}-trigger`, tenantId: `${SECRET}-tenant`, source, workflow: "shared-flow" });
  await ledger.limits.set({ scope: "tenant", subject: `${SECRET}-tenant`, maxRunning: 1 });
  await ledger.limits.set({ scope: "overall", subject: "", maxRunning: 5 });
  await ledger.limits.set({ scope: "project", subject: `${SECRET}-tenant|${SECRET}-project`, maxRunning: 1 });
  await served.call("GET", "/audit", undefined, bearer(victim.viewer.text));
  for (let found = 0; found < 1; found = (await listRunning(served, victim.admin.text)).length) await pause();
  await worker.stop();
  await projector.stop();
  const [log] = await ledger.store.artifacts.listArtifacts({ runId: run.id });
  const real = {
    runId: run.id,
    otherRunId: run.id,
    keyId: victim.viewer.key.keyId,
    scheduleId: `${SECRET}-schedule`,
    subscriptionId: `${SECRET}-subscription`,
    triggerId: `${SECRET}-trigger`,
    artifactId: log!.uri.slice("store://".length),
  };
  return { ...served, victim, attacker, runId: run.id, real };
}

/** Creates a subscription of the victim with a dead letter. */
async function addDeadLetter({ store: { outbox }, subscriptions }: Ledger, runId: string): Promise<void> {
  const bus = { type: "webhook", url: `https://${SECRET}-receiver.example` };
  await subscriptions.put({ id: `${SECRET}-subscription`, tenantId: `${SECRET}-tenant`, bus, from: "beginning" });
  await outbox.recordChanges([{ runId, headSeq: 1 }]);
  const claimed = await outbox.claimDeliveries({ token: "test", holdMs: 60_000, perSubscription: 1 });
  const failure = { message: `${SECRET}-error`, attempts: 1, retryInMs: 0, isDead: true };
  await outbox.saveDeliveries(claimed.map((each) => ({ ...each, failure })));
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

async function listRunning({ call }: TestServer, key: string): Promise<readonly unknown[]> {
  return ((await (await call("GET", "/runs?status=RUNNING", undefined, bearer(key))).json()) as { items: unknown[] })
    .items;
}

/** Ids in requests: those of the victim's data, or ids that do not exist. */
type Names = Readonly<
  Record<"runId" | "otherRunId" | "keyId" | "scheduleId" | "subscriptionId" | "triggerId" | "artifactId", string>
>;
const absent: Names = {
  runId: "run_absent",
  otherRunId: "run_absent",
  keyId: "key_absent",
  scheduleId: "absent-schedule",
  subscriptionId: "absent-subscription",
  triggerId: "absent-trigger",
  artifactId: "art_absent",
};
const shared = { stepId: "first", action: "cancel", name: "go", workflowId: "shared-flow", version: "1" };

function request(route: Route, names: Names) {
  const own = route.operationId === "publishWorkflow" ? { workflowId: "attacker:flow" } : {};
  const values: Readonly<Record<string, string>> = { ...shared, ...names, ...own };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? "unknown"));
  const [from, to] = [Date.now() - 3_600_000, Date.now()].map((time) => new Date(time).toISOString());
  const queries: Record<string, string> = {
    runHistogram: `?from=${from}&to=${to}&bucket=hour`,
    removeLimit: `?scope=project&subject=${encodeURIComponent("attacker|web")}`,
  };
  const bodies: Record<string, unknown> = {
    startRun: { workflow: "shared-flow", input: { note: "mine" }, requestId: `${SECRET}-request` },
    startRuns: { starts: [{ workflow: "shared-flow", input: { note: "mine" }, requestId: `${SECRET}-request` }] },
    createKey: { name: "x", role: "viewer" },
    actOnRuns: { action: "cancel", runIds: [names.runId] },
    forkRun: { from: "first" },
    putSchedule: { workflow: "shared-flow", input: { note: "mine" }, every: "1h" },
    previewTimes: { every: "1h" },
    backfillSchedule: { from: "2026-11-01T00:00:00Z", to: "2026-11-01T01:00:00Z", dryRun: true },
    putSubscription: { bus: { type: "webhook", url: "https://attacker.example" }, from: "beginning" },
    rewindSubscription: { from: "beginning" },
    putTrigger: { source: { type: "webhook", secrets: ["key"] }, workflow: "shared-flow" },
    testTrigger: { event: {} },
    publishWorkflow: { steps: [{ id: "wait", wait: "go" }] },
    watch: { runs: { [names.runId]: 0 }, lists: { all: {} } },
    setLimit: { scope: "project", subject: "attacker|web", maxRunning: 1 },
  };
  return {
    path: path + (queries[route.operationId] ?? ""),
    body: route.method === "GET" ? undefined : (bodies[route.operationId] ?? {}),
  };
}

const walked = routes.filter(({ role }) => role !== null);
/** `watch` reads, but takes its ids in the body. */
const isRead = ({ method, operationId }: Route) => method === "GET" || operationId === "watch";
/** A tenant publishes only under its own name. */
const namesSomething = ({ params, operationId }: Route) =>
  operationId !== "publishWorkflow" && (params !== undefined || operationId === "watch");

test("no route reveals or changes data of another tenant", async () => {
  const world = await twoTenants();
  const { runId, victim, attacker, ledger, real } = world;
  const before = await ledger.store.fetchEvents(runId);
  const scheduled = await ledger.schedules.get(real.scheduleId, { tenantId: `${SECRET}-tenant` });
  const subscribed = await subscriptionOf(ledger, real.subscriptionId);
  const triggered = await ledger.triggers.get(real.triggerId, { tenantId: `${SECRET}-tenant` });
  const leaked: string[] = [];
  const sentTexts: string[] = [];
  for (const route of walked) {
    const sent = request(route, real);
    sentTexts.push(sent.path, JSON.stringify(sent.body ?? null));
    const response = await send(world, route, sent, attacker.admin.text);
    if (leaks(response.text, sentTexts)) leaked.push(`${route.operationId}: ${response.text}`);
    const other = await send(world, route, request(route, absent), attacker.admin.text);
    if (namesSomething(route) && stable(response.text) !== stable(other.text))
      leaked.push(`${route.operationId} distinguishes foreign data from missing data: ${response.text} ${other.text}`);
  }
  expect(leaked).toEqual([]);
  expect(await ledger.store.fetchEvents(runId)).toEqual(before);
  expect(await ledger.schedules.get(real.scheduleId, { tenantId: `${SECRET}-tenant` })).toEqual(scheduled);
  expect(await subscriptionOf(ledger, real.subscriptionId)).toEqual(subscribed);
  expect(await ledger.triggers.get(real.triggerId, { tenantId: `${SECRET}-tenant` })).toEqual(triggered);
  expect((await ledger.store.access.findKey(real.keyId))?.key.revokedAt).toBeNull();

  const secrets = [attacker, victim].flatMap((keys) => Object.values(keys).map(({ text }) => text));
  const kept = JSON.stringify([world.log, await ledger.store.audit.listAudit({ tenantId: "*", limit: 1000 })]);
  expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);

  // The same calls by the owner find the data, so the test would detect a leak.
  const reads = walked.filter(isRead);
  const shown: string[] = [];
  for (const route of reads) {
    const sent = request(route, real);
    if (leaks((await send(world, route, sent, victim.admin.text)).text, [JSON.stringify(sent)]))
      shown.push(route.operationId);
  }
  expect(shown).toEqual(
    expect.arrayContaining([
      "listRuns",
      "streamRuns",
      "watch",
      "getRun",
      "getStep",
      "listEvents",
      "streamRun",
      "listLogs",
      "streamLogs",
      "getArtifact",
      "previewArtifact",
      "listWorkflows",
      "listSchedules",
      "listSubscriptions",
      "getSubscription",
      "listDeadLetters",
      "getDeadLetter",
      "listTriggers",
      "getTrigger",
      "listLimits",
      "listKeys",
      "listAudit",
      "listQueue",
      "listLimits",
    ]),
  );
});

async function subscriptionOf({ store }: Ledger, subscriptionId: string) {
  const tenantId = `${SECRET}-tenant`;
  const { subscription } = await store.outbox.getSubscription({ tenantId, subscriptionId });
  return { subscription, letters: await store.outbox.listDeadLetters({ tenantId }) };
}

/** Removes ids and times, which differ from call to call, and names that the caller sent. */
function stable(text: string): string {
  return text
    .replaceAll(/(run|sig|key|req|art)_\w+/g, "$1")
    .replaceAll(/[\w]+-(schedule|subscription|trigger)/g, "$1")
    .replaceAll(/"requestId":"[^"]*"/g, "")
    .replaceAll(/rlk_[\w-]+|"(at|createdAt|startsAt|auditId|nextTick|dueAt|place)":("[^"]*"|\d+)/g, "");
}

/** Finds words of the victim that the caller did not send. */
function leaks(text: string, sent: readonly string[]): boolean {
  return [...text.matchAll(/zebra[\w-]*/g)].some(([word]) => !sent.some((one) => one.includes(word)));
}

async function send(
  { server }: TestServer,
  { method }: Route,
  { path, body }: { readonly path: string; readonly body: unknown },
  key: string,
  readMs = 400, // long enough for the first message of a stream
): Promise<{ readonly status: number; readonly text: string }> {
  const enough = new AbortController();
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { ...bearer(key), ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: enough.signal,
  });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return { status: response.status, text: await response.text() };
  let text = "";
  const timer = setTimeout(() => enough.abort(), readMs);
  try {
    for await (const part of response.body!) text += Buffer.from(part).toString();
  } catch {
    clearTimeout(timer);
  }
  return { status: response.status, text: text.replaceAll(/^id: .*$/gm, "") };
}

test("every route refuses lower roles and accepts its own", async () => {
  const world = await twoTenants();
  const wrong: string[] = [];
  for (const route of walked) {
    const sent = request(route, absent);
    for (const role of accessRoles) {
      const { status } = await send(world, route, sent, world.attacker[role].text, 1);
      const isAllowed = route.allTenants !== true && accessRoles.indexOf(role) >= accessRoles.indexOf(route.role!);
      if ((status === 403) === isAllowed) wrong.push(`${route.operationId} as ${role}: ${status}`);
    }
    const anonymous = await send(world, route, sent, "rlk_none");
    if (anonymous.status !== 401) wrong.push(`${route.operationId} without a key: ${anonymous.status}`);
  }
  expect(wrong).toEqual([]);
});

test("counts and searches cover only the caller's tenant", async () => {
  const { server, attacker, victim } = await twoTenants();
  const seenBy = async (token: string) => {
    const client = new RunledgerClient({ url: server.url, token });
    const [from, to] = [Date.now() - 3_600_000, Date.now() + 60_000].map((time) => new Date(time).toISOString());
    const { RUNNING } = await client.countRuns();
    const { bars } = await client.runHistogram({ from: from!, to: to!, bucket: "hour" });
    const labeled = await client.listRuns({ labels: { team: `${SECRET}-team` } });
    const [listed] = (await client.listWorkflows()).items;
    const { history, counts } = await client.getWorkflow("shared-flow");
    const numbers = [RUNNING, bars.length, labeled.items.length, listed!.counts.RUNNING, counts.RUNNING];
    return [...numbers, history.runs.length, listed!.lastRun === null];
  };
  expect(await seenBy(victim.viewer.text)).toEqual([1, 1, 1, 1, 1, 1, false]);
  expect(await seenBy(attacker.viewer.text)).toEqual([0, 0, 0, 0, 0, 0, true]);
});

test("every route that changes permissions or workflows is audited", { tags: ["U-15"] }, () => {
  const administers = routes.filter(
    ({ role, method }) => method !== "GET" && (role === "admin" || role === "engineer"),
  );
  expect(administers.length).toBeGreaterThan(3);
  expect(administers.filter(({ audited }) => audited !== true).map(({ operationId }) => operationId)).toEqual([]);
});

test("only the session routes and signed events need no authentication", () => {
  const open = routes.filter(({ role }) => role === null).map(({ operationId }) => operationId);
  expect(open.toSorted()).toEqual(["endSession", "openSession", "sendEvent"]);
});
