/**
 * [U-14] Every route, as the wrong tenant and as the wrong role. The routes come from the list that the server registers:
 * a new one is walked through without anybody thinking of it.
 */
import { accessRoles, type AccessRole } from "@runledger/contracts";
import { RunledgerClient } from "@runledger/client";
import { workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../../../tests/support/fresh-database.js";
import { testServer, type TestServer } from "../../../../tests/support/test-server.js";
import { createApiKey } from "./access/api-keys.js";
import { routes } from "./routes/index.js";
import type { Route } from "./http/define-route.js";

/** Names that occur nowhere but in what belongs to the victim. */
const SECRET = "zebra";
const guarded = workflow(
  "shared-flow",
  { version: "1", input: z.object({ note: z.string() }), signals: { go: z.object({ by: z.string() }) } },
  (w) => {
    const first = w.step("first", ({ input, log }) => {
      log(`${SECRET}-log ${input.note}`);
      return { out: `${SECRET}-output` };
    });
    return w.waitForSignal("go", { after: [first] });
  },
);

/** Two tenants, of which one has a run, keys and an audit. */
async function twoTenants() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const served = await testServer([guarded], { store: database.url });
  const { ledger } = served;
  const keys = async (tenantId: string) => {
    const made = accessRoles.map(async (role) => {
      const wanted = { name: `${tenantId}-${role}`, role, tenantId, ttlMs: null, createdBy: "test" };
      return [role, await createApiKey(ledger.store.access, wanted)] as const;
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
  const run = await ledger.start(guarded, { note: `${SECRET}-input` }, options);
  await ledger.signal(run.id, "other", { by: `${SECRET}-signal` });
  for (let steps = 0; steps < 2; steps = (await run.snapshot()).stepCount) await pause();
  await ledger.schedules.put({
    id: `${SECRET}-schedule`,
    workflow: guarded,
    input: { note: `${SECRET}-scheduled` },
    cron: "0 3 * * *",
    tenantId: `${SECRET}-tenant`,
  });
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
    artifactId: log!.uri.slice("store://".length),
  };
  return { ...served, victim, attacker, runId: run.id, real };
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

async function listRunning({ call }: TestServer, key: string): Promise<readonly unknown[]> {
  return ((await (await call("GET", "/runs?status=RUNNING", undefined, bearer(key))).json()) as { items: unknown[] })
    .items;
}

/** What names something: it exists for the one, and the other sends the same. */
type Names = Readonly<Record<"runId" | "otherRunId" | "keyId" | "scheduleId" | "artifactId", string>>;
const absent: Names = {
  runId: "run_absent",
  otherRunId: "run_absent",
  keyId: "key_absent",
  scheduleId: "absent-schedule",
  artifactId: "art_absent",
};
const shared = { stepId: "first", action: "cancel", name: "go", workflowId: "shared-flow", version: "1" };

function request(route: Route, names: Names) {
  const values: Readonly<Record<string, string>> = { ...shared, ...names };
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
/** What a route reads, it may name in its path or in its body. */
const isRead = ({ method, operationId }: Route) => method === "GET" || operationId === "watch";
const namesSomething = ({ params, operationId }: Route) => params !== undefined || operationId === "watch";

test("[U-14] the wrong tenant learns nothing by any route, and changes nothing", async () => {
  const world = await twoTenants();
  const { runId, victim, attacker, ledger, real } = world;
  const before = await ledger.store.fetchEvents(runId);
  const scheduled = await ledger.schedules.get(real.scheduleId, { tenantId: `${SECRET}-tenant` });
  const told: string[] = [];
  const said: string[] = [];
  for (const route of walked) {
    const sent = request(route, real);
    said.push(sent.path, JSON.stringify(sent.body ?? null));
    const answer = await ask(world, route, sent, attacker.admin.text);
    if (leaks(answer.text, said)) told.push(`${route.operationId}: ${answer.text}`);
    const other = await ask(world, route, request(route, absent), attacker.admin.text);
    if (namesSomething(route) && stable(answer.text) !== stable(other.text))
      told.push(
        `${route.operationId} tells what another tenant has from what nobody has: ${answer.text} ${other.text}`,
      );
  }
  expect(told).toEqual([]);
  expect(await ledger.store.fetchEvents(runId)).toEqual(before);
  expect(await ledger.schedules.get(real.scheduleId, { tenantId: `${SECRET}-tenant` })).toEqual(scheduled);
  expect((await ledger.store.access.findKey(real.keyId))?.key.revokedAt).toBeNull();

  const secrets = [attacker, victim].flatMap((keys) => Object.values(keys).map(({ text }) => text));
  const kept = JSON.stringify([world.log, await ledger.store.audit.listAudit({ tenantId: "*", limit: 1000 })]);
  expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]); // U-15

  // The same walk, by its owner, finds what was hidden: so the walk can see.
  const reads = walked.filter(isRead);
  const shown: string[] = [];
  for (const route of reads) {
    const sent = request(route, real);
    if (leaks((await ask(world, route, sent, victim.admin.text)).text, [JSON.stringify(sent)]))
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
      "listWorkflows",
      "listSchedules",
      "listLimits",
      "listKeys",
      "listAudit",
      "listQueue",
      "listLimits",
    ]),
  );
});

/** Ids and times differ from call to call, and what the caller has named itself. */
function stable(text: string): string {
  return text
    .replaceAll(/(run|sig|key|req|art)_\w+/g, "$1")
    .replaceAll(/[\w]+-schedule/g, "schedule")
    .replaceAll(/"requestId":"[^"]*"/g, "")
    .replaceAll(/rlk_[\w-]+|"(at|createdAt|auditId|nextTick|dueAt|place)":("[^"]*"|\d+)/g, "");
}

/** Words of the victim's that the caller has not said itself. */
function leaks(text: string, said: readonly string[]): boolean {
  return [...text.matchAll(/zebra[\w-]*/g)].some(([word]) => !said.some((known) => known.includes(word)));
}

async function ask(
  { server }: TestServer,
  { method }: Route,
  { path, body }: { readonly path: string; readonly body: unknown },
  key: string,
  patienceMs = 400, // long enough for a stream's first look
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
  const timer = setTimeout(() => enough.abort(), patienceMs);
  try {
    for await (const part of response.body!) text += Buffer.from(part).toString();
  } catch {
    clearTimeout(timer);
  }
  return { status: response.status, text: text.replaceAll(/^id: .*$/gm, "") };
}

test("[U-14] the wrong role is refused by every route, and the right one is not", async () => {
  const world = await twoTenants();
  const wrong: string[] = [];
  for (const route of walked) {
    const sent = request(route, absent);
    for (const role of accessRoles) {
      const { status } = await ask(world, route, sent, world.attacker[role].text, 1);
      const isAllowed = route.allTenants !== true && accessRoles.indexOf(role) >= accessRoles.indexOf(route.role!);
      if ((status === 403) === isAllowed) wrong.push(`${route.operationId} as ${role}: ${status}`);
    }
    const anonymous = await ask(world, route, sent, "rlk_none");
    if (anonymous.status !== 401) wrong.push(`${route.operationId} as nobody: ${anonymous.status}`);
  }
  expect(wrong).toEqual([]);
});

test("[U-14] what is counted and searched is the tenant's own", async () => {
  const { server, attacker, victim } = await twoTenants();
  const seenBy = async (token: string) => {
    const client = new RunledgerClient({ url: server.url, token });
    const [from, to] = [Date.now() - 3_600_000, Date.now() + 60_000].map((time) => new Date(time).toISOString());
    const { RUNNING } = await client.countRuns();
    const { bars } = await client.runHistogram({ from: from!, to: to!, bucket: "hour" });
    const labelled = await client.listRuns({ labels: { team: `${SECRET}-team` } });
    const [listed] = (await client.listWorkflows()).items;
    const { history, counts } = await client.getWorkflow("shared-flow");
    const numbers = [RUNNING, bars.length, labelled.items.length, listed!.counts.RUNNING, counts.RUNNING];
    return [...numbers, history.runs.length, listed!.lastRun === null];
  };
  expect(await seenBy(victim.viewer.text)).toEqual([1, 1, 1, 1, 1, 1, false]);
  expect(await seenBy(attacker.viewer.text)).toEqual([0, 0, 0, 0, 0, 0, true]);
});

test("[U-15] whatever changes what others may do or run is on record", () => {
  const administers = routes.filter(
    ({ role, method }) => method !== "GET" && (role === "admin" || role === "engineer"),
  );
  expect(administers.length).toBeGreaterThan(3);
  expect(administers.filter(({ audited }) => audited !== true).map(({ operationId }) => operationId)).toEqual([]);
});

test("[U-14] what is for anybody is named", () => {
  const open = routes.filter(({ role }) => role === null).map(({ operationId }) => operationId);
  expect(open.toSorted()).toEqual(["endSession", "openSession"]);
});
