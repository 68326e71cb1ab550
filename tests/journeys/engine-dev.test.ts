import { connect, workflow, type CanonicalEngineEvent } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../support/fresh-database.js";
import { freshProject, runledger, startRunledger, writeFiles, type Where } from "../support/runledger-command.js";

const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows/*.ts"] });`;

/** A run of it waits until it is told to go, then says what the code says. The step's id is part of the plan. */
function flow({ says, step = "say" }: { readonly says: string; readonly step?: string }): Record<string, string> {
  const text = `import { workflow } from "runledger";
import { what } from "../lib/what.js";
export const flow = workflow("flow", {}, (w) => {
  const go = w.waitForSignal("go");
  return w.step("${step}", { after: [go] }, () => what);
});`;
  return { "workflows/flow.ts": text, "lib/what.ts": `export const what: string = "${says}";` };
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

/** Lets a run go on, and gives what its last step said. */
async function finish(where: Where, { runId }: { readonly runId: string }): Promise<unknown> {
  expect(await runledger(where, "signal", runId, "go")).toMatchObject({ code: 0 });
  const { stdout } = await runledger(where, "events", runId, "--follow", "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CanonicalEngineEvent);
  const said = events.findLast(({ eventType, stepId }) => eventType === "StepCompleted" && stepId !== "go");
  return (said?.eventData as { readonly output?: unknown } | undefined)?.output;
}

test("[E-05] dev loads a changed plan for new runs; open runs stay on the version and the code they began with", async () => {
  const { where, dev } = await developing(flow({ says: "old" }));
  const before = [await startRun(where), await startRun(where)];
  for (const { runId } of before) await untilItWaits(where, runId);

  writeFiles(where.cwd, flow({ says: "new", step: "say-it" }));
  await dev.says(`flow: 2 open runs stay on ${before[0]!.version}; its code is kept until dev ends`);
  const after = await startRun(where);
  expect(after.version).not.toBe(before[0]!.version);
  expect(dev.output).toContain(`flow ${after.version} is what new runs use`);

  expect(await finish(where, after)).toBe("new");
  for (const run of before) expect(await finish(where, run)).toBe("old");
});

test("[E-05] where only the code changed, open runs of the version go on with the new code, and dev says so", async () => {
  const { where, dev } = await developing(flow({ says: "old" }));
  const run = await startRun(where);
  await untilItWaits(where, run.runId);
  writeFiles(where.cwd, { "lib/what.ts": `export const what: string = "new";` });
  await dev.says(`flow: 1 open run of ${run.version} goes on with the new code`);
  expect(await finish(where, run)).toBe("new");
});

test("[E-05] a file that cannot be loaded changes nothing, and the next good one is taken", async () => {
  const { where, dev, url } = await developing(flow({ says: "old" }));
  writeFiles(where.cwd, { "lib/what.ts": "export const what: string = ;" });
  await dev.says("the code that was loaded before stays in use:");
  await dev.says(/error CONFIG_INVALID .*what\.ts:1:\d+/);
  const run = await startWithoutProject(url);
  expect(await finish(where, run)).toBe("old");
  writeFiles(where.cwd, flow({ says: "mended" }));
  await dev.says(/changed: 1 workflow loaded/);
  expect(await finish(where, await startRun(where))).toBe("mended");
});

test("[E-05] workflows that are YAML are loaded again as well", async () => {
  const yaml = (id: string) =>
    `workflow: flow\nsteps:\n  - { id: go, wait: go }\n  - { id: ${id}, after: [go], sleep: 1ms }\n`;
  const patterns = { "runledger.config.ts": config.replace("*.ts", "*.yaml"), "workflows/flow.yaml": yaml("one") };
  const { where, dev } = await developing(patterns);
  const { runId, version } = await startRun(where);
  await untilItWaits(where, runId);
  writeFiles(where.cwd, { "workflows/flow.yaml": yaml("two") });
  await dev.says(`flow: 1 open run stays on ${version}; its code is kept until dev ends`);
});

test("[E-05] a version that was given a number is not changed under its runs", async () => {
  const numbered = (step: string) => ({
    "workflows/flow.ts": flow({ says: "", step })["workflows/flow.ts"]!.replace("{}", `{ version: "1.0.0" }`),
  });
  const { where, dev } = await developing({ ...flow({ says: "old" }), ...numbered("say") });
  writeFiles(where.cwd, numbered("shout"));
  await dev.says(/error PLAN_VERSION_TAKEN {2}.*new version/);
});

test("[E-05] started again, dev names open runs of versions that are gone; and it stops when it is told to", async () => {
  const { where, dev } = await developing(flow({ says: "old" }));
  const { runId, version } = await startRun(where);
  await untilItWaits(where, runId);
  dev.kill("SIGTERM");
  expect(await dev.ended).toEqual({ code: 0, signal: null });
  writeFiles(where.cwd, flow({ says: "new", step: "say-it" }));
  const again = await started(where);
  await again.says(`1 open run of flow ${version}: no worker here has that version.`);
});

/** The project on disk is broken: the run is started as a program would. */
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
