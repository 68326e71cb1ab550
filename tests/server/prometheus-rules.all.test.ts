// @module-tag B-22
/** Checks the rules and the dashboard under deploy/ with Prometheus' own tool, and against the metrics that processes have. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ALERTS } from "@runledger/contracts";
import { expect, test } from "vitest";
import { requireDebian, unpackDebian } from "@runledger/test-support/debian-packages";
import { describeWith } from "@runledger/test-support/requirements";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { capture } from "../../scripts/lib/spawn.mjs";

const read = (path: string): string => readFileSync(inRepository(path), "utf8");
const metricsIn = (text: string): string[] => [...new Set(text.match(/\b(?:runledger|process)_[a-z_]+/g) ?? [])];

/** Names of the metrics that the guide documents, and of the parts of histograms. */
const documented = metricsIn(read("docs/guides/monitor.md"));
const known = new Set(documented.flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));

test.each(["deploy/prometheus/rules.yaml", "deploy/grafana/runledger.json"])("%s uses documented metrics", (path) => {
  const used = metricsIn(read(path));
  expect(used.length).toBeGreaterThan(5);
  const others = ["runledger_projector_events_total"]; // "and others of the same prefix"
  expect(used.filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});

test("every alert has a runbook, and every runbook an alert", () => {
  const pages = readdirSync(inRepository("docs/alerts")).map((file) => basename(file, ".md"));
  expect(new Set(pages.filter((page) => page !== "README"))).toEqual(new Set(Object.keys(ALERTS)));
  const overview = read("docs/alerts/README.md");
  for (const [code, severity] of Object.entries(ALERTS)) {
    expect(read(`docs/alerts/${code}.md`)).toContain(`Severity: ${severity}.`);
    expect(overview).toMatch(new RegExp(`\\(${code}\\.md\\) +\\| ${severity} `));
  }
});

describeWith("promtool", requireDebian, () => {
  test("the rules are valid, and evaluate written series as expected", { timeout: 300_000 }, async () => {
    const { root, env } = await unpackDebian(["prometheus"]);
    const promtool = (...args: readonly string[]) =>
      capture(join(root, "usr/bin/promtool"), args, { cwd: inRepository("deploy/prometheus"), env });
    const checked = await promtool("check", "rules", "rules.yaml");
    expect(checked, checked.stderr).toMatchObject({ code: 0 });
    const tested = await promtool("test", "rules", "rules.test.yaml");
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ code: 0 });
  });
});
