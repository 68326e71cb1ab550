// @module-tag E-05
import { connect, workflow, type CanonicalEngineEvent } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, writeFiles, type Where } from "@runledger/test-support/runledger-command";

const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows/*.ts"] });`;

/** A workflow that waits for a signal and returns `returns`. The step's id is part of the plan. */
function flow({ returns, step = "say" }: { readonly returns: string; readonly step?: string }): Record<string, string> {
  const text = `import { workflow } from "runledger";
import { what } from "../lib/what.js";
export const flow = workflow("flow", {}, (w) => {
  const go = w.waitForSignal("go");
  return w.step("${step}", { after: [go] }, () => what);
});`;
  return { "workflows/flow.ts": text, "lib/what.ts": `export const what: string = "${returns}";` };
}

async function developing(files: Record<string, string>) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const where = {
    cwd: freshProject({ "runledger.config.ts": config, ...files }),
    env: { RUNLEDGER_STORE: database.url },
  };
  return { where, dev: await started(where), url: database.url };
}

async function started(where: Where) {
  const dev = startRunledger(where, "dev", "--port", "0");
  await dev.says("Next ");
  return dev;
}

async function startRun(where: Where): Promise<{ readonly runId: string; readonly version: string }> {
  const { code, stdout, stderr } = await runledger(where, "run", "flow", "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { runId: string; version: string };
}

/** Sends the signal and returns the output of the last step. */
async function finish(where: Where, { runId }: { readonly runId: string }): Promise<unknown> {
  expect(await runledger(where, "signal", runId, "go")).toMatchObject({ code: 0 });
  const { stdout } = await runledger(where, "events", runId, "--follow", "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CanonicalEngineEvent);
  const completed = events.findLast(({ eventType, stepId }) => eventType === "StepCompleted" && stepId !== "go");
  return (completed?.eventData as { readonly output?: unknown } | undefined)?.output;
}

test("dev loads a changed plan for new runs, and open runs keep their version and code", async () => {
  const { where, dev } = await developing(flow({ returns: "old" }));
  const before = [await startRun(where), await startRun(where)];
  for (const { runId } of before) await untilItWaits(where, runId);

  writeFiles(where.cwd, flow({ returns: "new", step: "say-it" }));
  await dev.says(`flow: 2 open runs stay on ${before[0]!.version}; its code is kept until dev stops`);
  const after = await startRun(where);
  expect(after.version).not.toBe(before[0]!.version);
  expect(dev.output).toContain(`new runs use flow ${after.version}`);

  expect(await finish(where, after)).toBe("new");
  for (const run of before) expect(await finish(where, run)).toBe("old");
});

test("open runs continue with new code if the plan is the same, and dev reports it", async () => {
  const { where, dev } = await developing(flow({ returns: "old" }));
  const run = await startRun(where);
  await untilItWaits(where, run.runId);
  writeFiles(where.cwd, { "lib/what.ts": `export const what: string = "new";` });
  await dev.says(`flow: 1 open run of ${run.version} continues with the new code`);
  expect(await finish(where, run)).toBe("new");
});

test("dev keeps the previous code after a load error, and loads the next valid file", async () => {
  const { where, dev, url } = await developing(flow({ returns: "old" }));
  writeFiles(where.cwd, { "lib/what.ts": "export const what: string = ;" });
  await dev.says("changed but cannot be loaded; the previous code stays in use:");
  await dev.says(/error CONFIG_INVALID .*what\.ts:1:\d+/);
  const run = await startWithoutProject(url);
  expect(await finish(where, run)).toBe("old");
  writeFiles(where.cwd, flow({ returns: "fixed" }));
  await dev.says(/changed: 1 workflow loaded/);
  expect(await finish(where, await startRun(where))).toBe("fixed");
});

test("dev reloads YAML workflows", async () => {
  const yaml = (id: string) =>
    `workflow: flow\nsteps:\n  - { id: go, wait: go }\n  - { id: ${id}, after: [go], sleep: 1ms }\n`;
  const patterns = { "runledger.config.ts": config.replace("*.ts", "*.yaml"), "workflows/flow.yaml": yaml("one") };
  const { where, dev } = await developing(patterns);
  const { runId, version } = await startRun(where);
  await untilItWaits(where, runId);
  writeFiles(where.cwd, { "workflows/flow.yaml": yaml("two") });
  await dev.says(`flow: 1 open run stays on ${version}; its code is kept until dev stops`);
});

test("dev refuses a changed plan with the same explicit version", async () => {
  const numbered = (step: string) => ({
    "workflows/flow.ts": flow({ returns: "", step })["workflows/flow.ts"]!.replace("{}", `{ version: "1.0.0" }`),
  });
  const { where, dev } = await developing({ ...flow({ returns: "old" }), ...numbered("say") });
  writeFiles(where.cwd, numbered("shout"));
  await dev.says(/error PLAN_VERSION_TAKEN {2}.*new version/);
});

test("a restarted dev warns about open runs of removed versions, and SIGTERM stops it", async () => {
  const { where, dev } = await developing(flow({ returns: "old" }));
  const { runId, version } = await startRun(where);
  await untilItWaits(where, runId);
  dev.kill("SIGTERM");
  expect(await dev.ended).toEqual({ code: 0, signal: null });
  writeFiles(where.cwd, flow({ returns: "new", step: "say-it" }));
  const again = await started(where);
  await again.says(`1 open run of flow ${version}: no worker here has this version.`);
});

/** Starts a run through the API, because the project on disk is broken. */
async function startWithoutProject(url: string) {
  const same = workflow("flow", {}, (w) => {
    const go = w.waitForSignal("go");
    return w.step("say", { after: [go] }, () => "");
  });
  await using ledger = await connect(url);
  return { runId: (await ledger.start(same)).id };
}

async function untilItWaits(where: Where, runId: string): Promise<void> {
  const events = startRunledger(where, "events", runId, "--follow");
  await events.says(/StepStarted +go/);
  events.kill("SIGTERM");
  await events.ended;
}
