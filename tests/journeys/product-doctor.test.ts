// @module-tag U-22
import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder, freshProject } from "@runledger/test-support/runledger-command";

interface Found {
  readonly name: string;
  readonly state: string;
  readonly found: string;
  readonly fix?: string;
}

const flow = `import { workflow } from "runledger";
export const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));`;
const files = {
  "runledger.config.ts": `export default { workflows: ["./flow.ts"] };`,
  "flow.ts": flow,
};

async function doctor(cwd: string, store: string): Promise<{ code: number | null; found: Map<string, Found> }> {
  const { code, stdout } = await runledger({ cwd }, "doctor", "--json", "--store", store);
  const found = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Found);
  return { code, found: new Map(found.map((each) => [each.name, each])) };
}

test("doctor reports that everything is fine", async () => {
  const database = await freshDatabase();
  try {
    const { code, found } = await doctor(freshProject(files), database.url);
    expect(code).toBe(0);
    for (const name of ["Node", "Runledger", "Project", "Permissions", "Disk", "Store", "Clock"])
      expect(found.get(name)).toMatchObject({ state: "good" });
    expect(JSON.stringify([...found.values()])).not.toContain(new URL(database.url).password);
  } finally {
    await database.drop();
  }
});

test("doctor suggests fixes for an unreachable store and a missing project", async () => {
  const { code, found } = await doctor(freshFolder(), "postgres://user:hidden@127.0.0.1:1/none");
  expect(code).toBe(3);
  expect(found.get("Store")).toMatchObject({ state: "bad", fix: expect.stringContaining("URL") as string });
  expect(found.get("Project")).toMatchObject({ state: "note", fix: expect.stringContaining("init") as string });
  expect(JSON.stringify([...found.values()])).not.toContain("hidden");
});

test("doctor prints a line per check, and a fix below it", async () => {
  const cwd = freshFolder();
  mkdirSync(`${cwd}/nothing`);
  const { stdout } = await runledger({ cwd }, "doctor", "--store", "embedded:./none");
  expect(stdout).toMatch(/^✔ Node .*\n✔ Runledger .*\n! Project .*\n +create a project with npx runledger init/);
  expect(stdout).toMatch(/! Store .*does not exist yet\n +runledger dev creates it/);
});
