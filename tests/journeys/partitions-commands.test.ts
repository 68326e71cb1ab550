// @module-tag D-32
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Where } from "@runledger/test-support/runledger-command";

const workflows = `import { workflow } from "runledger";
export const shops = workflow("shops", { version: "1", partitions: { by: "key", keys: ["north", "east", "south"] } }, (w) =>
  w.step("load", ({ partition }) => {
    if (partition.key === "east" && process.env.BROKEN) throw new Error("broken");
    return partition.key;
  }));
export const plain = workflow("plain", { version: "1" }, (w) => w.step("load", () => 1));`;
const config = `import { defineConfig } from "runledger";\nexport default defineConfig({ workflows: ["./workflows.js"] });`;

async function project(): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url, XDG_STATE_HOME: cwd } };
}

test("partitions are listed and backfilled on a store and on a server, and only failed ones run again", async () => {
  const where = await project();
  const partitions = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runledger(where, "partitions", ...args);
    expect(code, stderr).toBe(0);
    return stdout + stderr;
  };
  expect(await partitions("list", "shops")).toBe(
    "north   missing\neast    missing\nsouth   missing\n3 partitions: 3 missing. All: north to south.\n" +
      "Next  npx runledger partitions backfill shops --dry-run\n",
  );
  expect(await partitions("backfill", "shops", "--dry-run", "--limit", "2")).toBe(
    "north   missing   would start\neast    missing   would start\n2 runs to start.\n" +
      "1 partition left; repeat the command or raise --limit.\n",
  );
  const first = await partitions("backfill", "shops", "--concurrency", "2");
  expect(first).toMatch(
    /^north {3}missing {3}run_\w+\neast {4}missing {3}run_\w+\nsouth {3}missing {3}run_\w+\n3 runs started\.\n$/,
  );
  expect(await partitions("backfill", "shops")).toBe("0 runs started.\n");

  const broken = startRunledger({ ...where, env: { ...where.env, BROKEN: "1" } }, "dev", "--port", "0");
  await broken.says("Next ");
  const list = (): Promise<string> => partitions("list", "shops", "--json");
  const states = async () =>
    (await list())
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { state: string }).state);
  await expect.poll(states).toEqual(["succeeded", "failed", "succeeded"]);
  broken.kill("SIGTERM");
  expect(await broken.ended).toMatchObject({ code: 0 });

  const dev = startRunledger(where, "dev", "--port", "0");
  const url = await dev.says(/http:\/\/127\.0\.0\.1:\d+/);
  await dev.says("Next ");
  expect(await partitions("list", "shops", "--server", url)).toContain("3 partitions: 2 succeeded, 1 failed.");
  const again = await partitions("backfill", "shops", "--only", "failed", "--server", url, "--json");
  expect(JSON.parse(again)).toMatchObject({ key: "east", state: "failed", started: true });
  await expect.poll(states).toEqual(["succeeded", "succeeded", "succeeded"]);
  dev.kill("SIGTERM");
  expect(await dev.ended).toMatchObject({ code: 0 });
});

test("wrong arguments are refused with the reason", async () => {
  const where = await project();
  const errorOf = async (...args: string[]) => (await runledger(where, "partitions", ...args)).stderr;
  expect(await errorOf("list", "none")).toMatch(/^error WORKFLOW_NOT_FOUND/);
  expect(await errorOf("list", "plain")).toMatch(/^error OPTION_INVALID {2}workflow: plain is not partitioned\./);
  expect(await errorOf("backfill", "shops", "--partition", "west")).toBe(
    'error OPTION_INVALID  keys: "west" is not a key of the workflow.\n',
  );
  expect(await errorOf("backfill", "shops", "--only", "all")).toMatch(/only: must be one of missing, failed, both\./);
  expect(await errorOf("backfill", "shops", "--limit", "many")).toMatch(
    /limit: must be a whole number from 1 to 1000\./,
  );
});
