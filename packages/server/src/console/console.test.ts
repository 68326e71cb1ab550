// @module-tag U-34
import { brotliDecompressSync } from "node:zlib";
import { request } from "node:http";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { consoleFiles } from "./console-files.js";

/** Returns the compressed body, which `fetch` would decompress. */
function get(
  url: string,
  headers: Record<string, string>,
): Promise<{ headers: NodeJS.Dict<string | string[]>; status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ headers: response.headers, status: response.statusCode!, body: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

test("pages are revalidated, assets are cached forever, and both are compressed", async () => {
  const { server } = await testServer([]);
  const page = await get(`${server.url}/runs/run_1?step=load`, {});
  expect(page).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
  });
  expect((await get(`${server.url}/runs`, { "if-none-match": String(page.headers["etag"]) })).status).toBe(304);
  const [, script] = /src="([^"]+\.js)"/.exec(page.body.toString())!;
  const small = await get(server.url + script!, { "accept-encoding": "gzip, br" });
  expect(small.headers).toMatchObject({
    "content-encoding": "br",
    "cache-control": "public, max-age=31536000, immutable",
  });
  expect(brotliDecompressSync(small.body).equals((await get(server.url + script!, {})).body)).toBe(true);
  expect((await get(`${server.url}/assets/nothing.js`, {})).status).toBe(404);
  expect((await get(`${server.url}/api/v1/nothing`, {})).status).toBe(404);
});

test("an unknown path returns a page to a browser and a problem to a program", { tags: ["U-35"] }, async () => {
  const { server } = await testServer([]);
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const page = await get(`${server.url}/no/such/page`, browser);
  expect(page).toMatchObject({ status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'/);
  const again = await get(`${server.url}/no/such/page`, {
    ...browser,
    "if-none-match": String(page.headers["etag"]),
  });
  expect(again.status).toBe(404);
  for (const [path, headers] of [
    ["/no/such/page", {}],
    ["/api/v1/nothing", browser],
    ["/api", browser],
  ] as const) {
    const { status, headers: sent } = await get(server.url + path, headers);
    expect([path, status, sent["content-type"]]).toEqual([path, 404, "application/problem+json"]);
  }
});

test("the page contains no inline script or style", { tags: ["U-15"] }, () => {
  const page = consoleFiles().get("/index.html")!.bytes.toString();
  expect(page).not.toMatch(/<style|style="|<script(?![^>]*\ssrc=)|\son\w+=/i);
});
