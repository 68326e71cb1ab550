// @module-tag D-04
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';
const ROWS = `${"0123456789".repeat(120_000)}the end`;

const flow = workflow("artifacts", { version: "1" }, (w) =>
  w.step("write", async ({ artifact }) => {
    await artifact.write("chart", SVG);
    await artifact.write("rows", ROWS);
    await artifact.write("page", "<!doctype html><script>alert(1)</script>");
  }),
);

test("a part is returned so that no browser runs or renders it as a page", async () => {
  const { ledger, client, call } = await testServer([flow]);
  await ledger.worker({ workflows: [flow] });
  const run = await ledger.start(flow);
  await run.result();
  const { items } = await client.listArtifacts(run.id);
  const path = (kind: string, query = "") =>
    `/runs/${run.id}/artifacts/${items.find((item) => item.kind === kind)!.artifactId}/preview${query}`;
  const types = { chart: "image/svg+xml", rows: "application/octet-stream", page: "application/octet-stream" };
  for (const [kind, type] of Object.entries(types)) {
    const response = await call("GET", path(kind));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
    });
    await response.arrayBuffer();
  }
  const text = async (query: string) => (await call("GET", path("rows", query))).text();
  expect(await text("")).toBe(ROWS.slice(0, 256 * 1024));
  expect(await text("?offset=12&bytes=5")).toBe("23456");
  expect(await text(`?offset=${ROWS.length - 7}&bytes=100`)).toBe("the end");
  expect(await text(`?offset=${ROWS.length}`)).toBe("");
  for (const query of ["?bytes=0", "?bytes=4194305", "?offset=-1", "?offset=1.5", "?range=1"])
    expect((await call("GET", path("rows", query))).status).toBe(400);
  const absent = await call("GET", `/runs/${run.id}/artifacts/art_absent/preview`);
  expect([absent.status, await absent.json()]).toMatchObject([404, { code: "ARTIFACT_NOT_FOUND" }]);
});
