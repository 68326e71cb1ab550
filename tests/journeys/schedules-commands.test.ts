// @module-tag O-31
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const workflows = `import { workflow } from "runledger";
import { z } from "zod";
export const report = workflow("report", { version: "1.0.0", input: z.object({ of: z.string() }) }, (w) =>
  w.step("write", ({ input, schedule }) => ({ of: input.of, at: schedule.tick })));`;
const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows.js"] });`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

test("schedules next evaluates an expression without a store, and refuses one that never fires", async () => {
  const where = { cwd: freshProject({}) };
  const berlin = [
    "--cron",
    "30 2 * * *",
    "--timezone",
    "Europe/Berlin",
    "--after",
    "2026-03-28T12:00:00Z",
    "--count",
    "2",
  ];
  expect(await runledger(where, "schedules", "next", ...berlin)).toMatchObject({
    code: 0,
    stdout:
      "2026-03-29T01:00:00.000Z   2026-03-29 03:00:00 Europe/Berlin\n" +
      "2026-03-30T00:30:00.000Z   2026-03-30 02:30:00 Europe/Berlin\n",
  });
  expect(await runledger(where, "schedules", "next", "--cron", "0 0 30 2 *")).toMatchObject({
    code: 2,
    stderr: "error SCHEDULE_NEVER_FIRES  cron: never fires: no date matches.\n",
  });
  expect(await runledger(where, "schedules", "next", "--cron", "0 25 * * *")).toMatchObject({
    code: 2,
    stderr: `error SCHEDULE_INVALID  cron: "0 25 * * *" is not a cron expression: Invalid value for hour.\n`,
  });
});

test(
  "a schedule is created, listed, backfilled, paused, resumed and removed, and dev fires it",
  { tags: ["O-30"] },
  async () => {
    const where = await project();
    const schedules = async (...args: string[]) => {
      const { code, stdout, stderr } = await runledger(where, "schedules", ...args);
      expect(code, stderr).toBe(0);
      return stdout + stderr;
    };
    const dev = startRunledger(where, "dev", "--port", "0");
    await dev.says("Next ");
    const yearly = ["put", "yearly", "--workflow", "report", "--input", `{"of":"2019"}`, "--cron", "0 0 1 1 *"];
    expect(await schedules(...yearly)).toMatch(
      /^yearly {3}report 1\.0\.0 {3}0 0 1 1 \* UTC {3}overlap skip, catch-up latest\n {2}next \d{4}-01-01T00:00:00\.000Z\nNext {2}npx runledger schedules next yearly\n$/,
    );
    const range = ["--from", "2019-06-01T00:00:00Z", "--to", "2021-06-01T00:00:00Z"];
    expect(await schedules("backfill", "yearly", ...range, "--dry-run")).toBe(
      "2020-01-01T00:00:00.000Z   would start\n2021-01-01T00:00:00.000Z   would start\n2 times, 2 runs to start.\n" +
        `Next  npx runledger schedules backfill yearly ${range.join(" ")}\n`,
    );
    expect(await schedules("backfill", "yearly", ...range)).toMatch(/2 times, 2 runs started\.\n$/);
    const again = await schedules("backfill", "yearly", ...range);
    expect(again).toMatch(/^2020-01-01T00:00:00\.000Z {3}run_\w+ {3}already has a run\n/);
    const runId = /run_\w+/.exec(again)![0];
    expect((await runledger(where, "watch", runId)).code).toBe(0);
    const { stdout } = await runledger(where, "events", runId, "--json");
    expect(stdout).toContain(`"output":{"at":"2020-01-01T00:00:00.000Z","of":"2019"}`);

    await schedules("put", "often", "--workflow", "report@1.0.0", "--input", `{"of":"now"}`, "--every", "1s");
    for (let line = ""; !line.includes("started run_");) line = await schedules("list");
    expect(await schedules("pause", "often")).toMatch(/^often .*\n {2}paused since 20.*last 20/);
    expect(await schedules("resume", "often")).toMatch(/^often .*\n {2}next 20/);
    expect(await schedules("remove", "often")).toBe("Removed often. Its runs remain.\n");
    expect((await runledger(where, "schedules", "pause", "often")).stderr).toMatch(/^error SCHEDULE_NOT_FOUND/);
    expect(JSON.parse(await schedules("list", "--json"))).toMatchObject({ scheduleId: "yearly" });
    expect(await schedules("list", "--tenant", "acme")).toMatch(/^No schedules\.\n/);
    dev.kill("SIGTERM");
    expect(await dev.ended).toMatchObject({ code: 0 });
  },
);
