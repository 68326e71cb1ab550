// @module-tag D-01
/** Steps, API, commands and console on artifacts in a bucket. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { requireS3, s3Variables, startS3 } from "@runledger/test-support/s3-server";
import { TOKEN } from "@runledger/test-support/test-server";
import { workflow } from "runledger";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectNoFaults, openTab } from "../console/support/page.js";
import { site } from "../console/support/site.js";

const ROWS = "id,name\n".repeat(100_000);

const dump = workflow("dump", { version: "1" }, (w) => {
  const rows = w.step("write", async ({ artifact, log }) => {
    log("writing");
    return artifact.write("rows.csv", ROWS);
  });
  return w.step("read", { needs: { rows } }, async ({ needs, artifact }) => {
    return (await artifact.read(needs.rows).text()).length;
  });
});

describeWith("artifacts in a bucket", requireS3, () => {
  let server: Awaited<ReturnType<typeof startS3>>;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(s3Variables)) vi.stubEnv(name, value);
    server = await startS3();
  }, 1_000_000); // Go builds the server once
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  const location = (): string => `s3://runs/ledger?endpoint=http://${server.address}`;
  const here = site([dump], { artifacts: location });

  async function finished(): Promise<{ runId: string; artifactId: string }> {
    const run = await here.ledger.start(dump);
    expect(await run.result()).toBe(ROWS.length);
    const { items } = await here.client.listArtifacts(run.id);
    expect(items.map(({ kind, stepId }) => [kind, stepId])).toEqual(
      [
        ["rows.csv", "write"],
        ["log", "write"],
      ].sort(byId(items)),
    );
    const rows = items.find(({ kind }) => kind === "rows.csv")!;
    expect(rows).toMatchObject({ attempt: 1, sizeBytes: ROWS.length });
    return { runId: run.id, artifactId: rows.artifactId };
  }

  const byId = (items: readonly { kind: string }[]) => (a: string[], b: string[]) =>
    items.findIndex(({ kind }) => kind === a[0]) - items.findIndex(({ kind }) => kind === b[0]);

  test("a step's artifact is an object, and a caller of the API is redirected to a link that expires", async () => {
    const { runId, artifactId } = await finished();
    const objects = readdirSync(join(server.folder, "runs", "ledger", runId), { recursive: true, withFileTypes: true });
    const [file] = objects.filter((entry) => entry.isFile());
    expect(readFileSync(join(file!.parentPath, file!.name), "utf8")).toBe(ROWS);
    const url = `${here.url}/api/v1/runs/${runId}/artifacts/${artifactId}`;
    expect((await fetch(url)).status).toBe(401);
    const answer = await fetch(url, { redirect: "manual", headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(302);
    const link = new URL(answer.headers.get("location")!);
    expect(link.host).toBe(server.address);
    expect(Number(link.searchParams.get("X-Amz-Expires"))).toBe(60);
    const saved = await here.client.getArtifact(runId, artifactId);
    expect(await saved.text()).toBe(ROWS);
    expect(saved.headers.get("content-disposition")).toBe(`attachment; filename="write-rows.csv-${artifactId}"`);
  });

  test("commands list and download it from the store and from the server", async () => {
    const { runId } = await finished();
    const [cwd, env] = [freshFolder(), { ...s3Variables, RUNLEDGER_ARTIFACTS: location() }];
    for (const where of [
      ["--store", here.databaseUrl],
      ["--server", here.url, "--key", TOKEN],
    ]) {
      const { stdout } = await runledger({ cwd, env }, "artifacts", "list", runId, "--json", ...where);
      expect(stdout).toContain('"rows.csv"');
      const {
        code,
        stdout: content,
        stderr,
      } = await runledger({ cwd, env }, "artifacts", "download", runId, "rows.csv", ...where);
      expect(code, stderr).toBe(0);
      expect(content === ROWS, where[0]).toBe(true);
    }
  });

  test("a user downloads it in the console, through a signed link of the bucket", async () => {
    const { runId } = await finished();
    const tab = await openTab();
    const { page } = tab;
    const links: URL[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.host === server.address) links.push(url);
    });
    await page.goto(`${here.url}/runs/${runId}`);
    await page.locator('[data-step="write"]').click();
    await page.getByRole("tab", { name: "Artifacts" }).click();
    const rows = page.locator(".artifacts li", { hasText: "rows.csv" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      rows.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toContain("write-rows.csv");
    const file = join(freshFolder(), "rows.csv");
    await download.saveAs(file);
    expect(links.map(({ searchParams }) => searchParams.has("X-Amz-Signature"))).toEqual([true]);
    expect(readFileSync(file, "utf8")).toBe(ROWS);
    expectNoFaults(tab);
  });

  test("a store whose payloads are encrypted is not opened with artifacts in a bucket", async () => {
    const database = await freshDatabase();
    const keys = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
    const env = { ...s3Variables, RUNLEDGER_ARTIFACTS: location(), RUNLEDGER_ENCRYPTION_KEYS: keys };
    const { code, stderr } = await runledger({ cwd: freshFolder(), env }, "runs", "--store", database.url);
    await database.drop();
    expect(code).not.toBe(0);
    expect(stderr).toContain("would not be encrypted");
  });
});
