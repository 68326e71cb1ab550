/** Conditions that last, for the rules that are about metrics other than alerts. Each records scrapes while it lasts. */
import { newEvent } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import { testServer, TOKEN } from "@runledger/test-support/test-server";
import { workflow } from "runledger";
import { merged, readScrape, type RuleTest, type Scrape } from "./recording.js";
import type { Watched, World } from "./world.js";

const JOB = "runledger";
const runbook = (code: string): string => `https://github.com/runledger/runledger/blob/main/docs/alerts/${code}.md`;

export async function scrapeAll(processes: readonly Watched[]): Promise<Scrape> {
  return merged(
    await Promise.all(
      processes.map(async (each) => readScrape(await each.scrape(), { instance: each.name, job: JOB })),
    ),
  );
}

async function record(process: Watched, times: number, between: () => Promise<unknown> = async () => {}) {
  const scrapes: Scrape[] = [];
  for (let n = 0; n < times; n++) {
    await between();
    scrapes.push(await scrapeAll([process]));
  }
  return scrapes;
}

async function valueOf(process: Watched, name: string): Promise<number> {
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(await process.scrape())?.[1] ?? 0);
}

/** Before the first worker starts. */
export async function withoutWorkers({ front }: World): Promise<RuleTest> {
  const expected = { labels: { severity: "critical", job: JOB }, annotations: { summary: "No worker is alive" } };
  return { name: "no worker is alive", scrapes: await record(front, 4), rules: { RunledgerNoWorkers: [expected] } };
}

/** A run needs a version that no worker has. */
export async function withUnservedVersion({ front, ledger }: World): Promise<RuleTest> {
  await ledger.start(workflow("waiting", { version: "2" }, (w) => w.waitForSignal("go")));
  await until(async () => (await valueOf(front, "runledger_unserved_plans")) > 0);
  const unserved = await valueOf(front, "runledger_unserved_plans");
  const summary = `Open runs need ${unserved} workflow versions that no worker has. \`runledger worker\` lists them`;
  const expected = { labels: { severity: "warning", job: JOB }, annotations: { summary } };
  const rules = { RunledgerUnservedVersions: [expected], RunledgerNoWorkers: [] };
  return { name: "a version has no worker", scrapes: await record(front, 12), rules };
}

/** A table of the database is missing for a while. */
export async function withServerErrors({ front, sql, client }: World): Promise<RuleTest> {
  const [healthy] = await record(front, 1);
  await sql("ALTER TABLE runledger.triggers RENAME TO hidden");
  const scrapes = await record(front, 12, () => client.listTriggers().catch(() => {}));
  await sql("ALTER TABLE runledger.hidden RENAME TO triggers");
  const annotations = { summary: "front fails to answer more than 5 % of its requests" };
  const expected = { labels: { severity: "warning", instance: "front" }, annotations };
  return { name: "requests fail", scrapes: [healthy!, ...scrapes], rules: { RunledgerServerErrors: [expected] } };
}

/** The only receiver accepts an event, and then it is down. */
export async function withoutReceiver({ back, ledger, refusing }: World): Promise<RuleTest> {
  const append = (runId: string) =>
    ledger.store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
  const failures = () => valueOf(back, "runledger_outbox_failures_total");
  refusing.answer = () => 204;
  await ledger.subscriptions.put({ id: "down", from: "now", bus: { type: "webhook", url: refusing.url } });
  await append("delivered");
  await until(async () => (await valueOf(back, "runledger_outbox_events_total")) > 0);
  await refusing.stop();
  await append("undelivered");
  const scrapes: Scrape[] = [];
  for (let n = 0; n < 3; n++) {
    scrapes.push(...(await record(back, 7)));
    const before = await failures();
    await until(async () => (await failures()) > before);
  }
  scrapes.push(...(await record(back, 2)));
  await ledger.subscriptions.remove("down");
  const annotations = { summary: "back delivers no events to subscriptions" };
  const expected = { labels: { severity: "warning", instance: "back" }, annotations };
  return { name: "deliveries fail", scrapes, rules: { RunledgerDeliveriesFail: [expected] } };
}

/** The process of the only projector is suspended for more than a minute, according to the database. */
export async function withoutProjector({ front, back, ledger, sql }: World): Promise<RuleTest> {
  const [healthy] = await record(front, 1);
  back.process.kill("SIGSTOP");
  await ledger.store.appendEvent(newEvent({ runId: "later", eventType: "RunStarted", planVersion: "1" }));
  await sql("UPDATE runledger.run_events SET persisted_at = persisted_at - interval '1 day' WHERE run_id = 'later'");
  await until(async () => (await valueOf(front, "runledger_projector_lag_seconds")) > 60);
  const scrapes = await record(front, 3);
  const seconds = await lastLag(scrapes);
  back.process.kill("SIGCONT");
  const annotations = {
    summary: `Projections are ${seconds} behind the log`,
    runbook_url: runbook("PROJECTOR_LAG_HIGH"),
  };
  const expected = { labels: { severity: "critical", job: JOB }, annotations };
  return {
    name: "the projector is behind",
    scrapes: [healthy!, ...scrapes],
    rules: { RunledgerProjectorBehind: [expected] },
  };
}

/** The lag of the last scrape, as Prometheus prints a duration of a day. */
async function lastLag(scrapes: readonly Scrape[]): Promise<string> {
  const [, lag] = [...scrapes.at(-1)!.samples].find(([series]) =>
    series.startsWith("runledger_projector_lag_seconds"),
  )!;
  const [days, hours] = [Math.floor(lag / 86_400), Math.floor((lag % 86_400) / 3600)];
  return `${days}d ${hours}h ${Math.floor((lag % 3600) / 60)}m ${Math.floor(lag % 60)}s`;
}

/** Two writers of one process disagree about an event. */
export async function withConflicts({ databaseUrl }: World): Promise<RuleTest> {
  const { ledger, server } = await testServer([], { store: databaseUrl });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const scrape = async () =>
    readScrape(await (await fetch(`${server.url}/metrics`, { headers })).text(), { instance: "here", job: JOB });
  const append = (rows: number) =>
    ledger.store.appendEvent(
      newEvent({ runId: "disputed", eventType: "RunStarted", planVersion: "1", eventData: { rows } }),
    );
  await append(1);
  const before = await scrape();
  await append(2);
  const annotations = { summary: "Two writers disagree about an event. The first write counts" };
  const expected = { labels: { severity: "warning", instance: "here", job: JOB }, annotations };
  const scrapes = [before, before, await scrape(), await scrape()];
  return { name: "writers disagree", scrapes, rules: { RunledgerAppendConflicts: [expected] } };
}

/** Every alert that a process counted between the two scrapes. */
export function withAlerts(before: Scrape, after: Scrape): RuleTest {
  const raised = [...after.samples.keys()].filter((series) => series.startsWith("runledger_alerts_total{"));
  const expected = raised.map((series) => {
    const label = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(series)![1]!;
    const [code, severity, instance] = [label("code"), label("severity"), label("instance")];
    const annotations = { summary: `${instance} raised ${code}`, runbook_url: runbook(code) };
    return { labels: { code, severity, instance, job: JOB }, annotations };
  });
  const of = (severity: string) => expected.filter(({ labels }) => labels.severity === severity);
  const rules = { RunledgerCriticalAlert: of("critical"), RunledgerWarning: of("warning") };
  return { name: "each alert is reported", scrapes: [before, before, after, after], rules };
}
