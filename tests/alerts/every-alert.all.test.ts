// @module-tag B-22
/**
 * Drives each alert by its real condition on real processes, and observes it in every place: log line, metric, health route
 * of another server, console and webhook. The scrapes of these processes are the input of the rules for Prometheus.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALERTS, type AlertCode } from "@runledger/contracts";
import { requireDebian, unpackDebian } from "@runledger/test-support/debian-packages";
import { describeWith } from "@runledger/test-support/requirements";
import { until } from "@runledger/test-support/until";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";
import { openTab } from "../console/support/page.js";
import * as conditions from "./conditions.js";
import { drivers } from "./drivers/index.js";
import { ruleTests, type RuleTest } from "./recording.js";
import { openWorld, type Watched, type World } from "./world.js";

const codes = Object.keys(ALERTS) as AlertCode[];
const RULES = "deploy/prometheus/rules.yaml";
const read = (path: string): string => readFileSync(inRepository(path), "utf8");
const metricsIn = (text: string): Set<string> => new Set(text.match(/\b(?:runledger|process)_[a-z_]+/g));

test("every alert has a driver", () => {
  expect(Object.keys(drivers).sort()).toEqual(codes.toSorted());
});

/** The processes that have logged the alert. */
const loggers = ({ processes }: World, code: string): Watched[] =>
  processes.filter(({ process }) =>
    process.output.split("\n").some((line) => line.startsWith("{") && line.includes(`"alert":"${code}"`)),
  );

/** Waits for the alert in the log and the metrics of a process, in the health of the front server, and at the receiver. */
async function observe(world: World, code: AlertCode): Promise<void> {
  await until(() => loggers(world, code).length > 0);
  const [raiser] = loggers(world, code) as [Watched];
  const line = raiser.process.output.split("\n").find((each) => each.includes(`"alert":"${code}"`))!;
  const level = ALERTS[code] === "critical" ? "error" : "warn";
  expect(JSON.parse(line), code).toMatchObject({ level, alert: code, severity: ALERTS[code] });
  expect(await raiser.scrape()).toMatch(
    new RegExp(`^runledger_alerts_total\\{code="${code}",severity="${ALERTS[code]}"\\} [1-9]`, "m"),
  );
  const isRaised = (each: { readonly code: string; readonly process?: string }): boolean =>
    each.code === code && (each.process ?? "").endsWith(`-${raiser.process.pid}`);
  const listed = async () => (await world.client.getHealth()).alerts.find(isRaised);
  await until(async () => (await listed()) !== undefined);
  expect(await listed(), code).toMatchObject({ severity: ALERTS[code] });
  expect((await listed())!.remedy).not.toContain("See the log");
  await until(() => world.alerts.events.some((each) => (each as { subject?: string }).subject === code));
}

async function observeInConsole({ front, token }: World): Promise<void> {
  const { page } = await openTab({ isKnown: false });
  await page.goto(`${front.url}/?token=${token}`);
  await page.goto(`${front.url}/health`);
  for (const code of codes) await page.locator(`[data-alert="${code}"]`).first().getByText("What to do:").waitFor();
}

/** Returns everything that was recorded. */
async function drive(world: World): Promise<RuleTest[]> {
  const without = await conditions.withoutWorkers(world);
  await world.startWorker("worker", "--tenant", "default");
  const before = await conditions.scrapeAll(world.processes);
  for (const [code, driver] of Object.entries(drivers)) {
    await driver(world);
    await observe(world, code as AlertCode);
  }
  await observeInConsole(world);
  expect(world.alerts.unsigned).toBe(0);
  const after = await conditions.scrapeAll(world.processes);
  const others = [
    await conditions.withUnservedVersion(world),
    await conditions.withServerErrors(world),
    await conditions.withoutReceiver(world),
    await conditions.withConflicts(world),
    await conditions.withoutProjector(world),
  ];
  return [without, conditions.withAlerts(before, after), ...others];
}

/** The scrapes of the first test. */
let recorded: readonly RuleTest[] = [];

test(
  "each alert reaches the log and metrics of its process, and health, console and webhook of another",
  { timeout: 900_000 },
  async () => {
    recorded = await drive(await openWorld());
  },
);

test("every metric of the rules and of the dashboard was scraped from a process", () => {
  const series = recorded.flatMap(({ scrapes }) => scrapes.flatMap(({ samples }) => [...samples.keys()]));
  const scraped = new Set(series.map((each) => each.slice(0, each.indexOf("{"))));
  for (const path of [RULES, "deploy/grafana/runledger.json"])
    expect(
      [...metricsIn(read(path))].filter((name) => !scraped.has(name)),
      path,
    ).toEqual([]);
});

describeWith("promtool", requireDebian, () => {
  test("each rule reports the condition that was recorded", async () => {
    const { root, env } = await unpackDebian(["prometheus"]);
    const folder = mkdtempSync(join(tmpdir(), "rules-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "recorded.test.yaml");
    writeFileSync(file, ruleTests(inRepository(RULES), metricsIn(read(RULES)), recorded));
    const named = recorded.flatMap((each) => Object.keys(each.rules));
    const all = [...read(RULES).matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(new Set(named)).toEqual(new Set(all));
    const tested = await capture(join(root, "usr/bin/promtool"), ["test", "rules", file], { cwd: folder, env });
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ code: 0 });
  });
});
