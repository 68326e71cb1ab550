// @module-tag R-07
/** Long-running processes start before their database, and an embedded database reports a changed password file. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { connect, workflow } from "runledger";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { freshFolder, freshProject, startRunledger } from "@runledger/test-support/runledger-command";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";

const PROJECT = {
  "runledger.config.js": `export default { workflows: ["workflows/*.js"] };`,
  "workflows/hello.js": `import { workflow } from "runledger";
export const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));`,
};

/** An address at which no server listens yet. */
async function lateDatabase() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const url = new URL(database.url);
  url.port = String(port);
  return { url: url.href, appear: () => startSilentProxy(database.url, port) };
}

test.each([
  ["serve", ["serve", "--port", "0"], "Roles "],
  ["worker", ["worker"], /Next +npx/],
])("%s waits for its database, prints why, and starts when the database is there", async (_, args, started) => {
  const { url, appear } = await lateDatabase();
  const process = startRunledger({ cwd: freshProject(PROJECT), env: { RUNLEDGER_STORE: url } }, ...args);
  await process.says(/"STORE_UNAVAILABLE".*ECONNREFUSED.* Next attempt in 0.5 s/);
  await process.says("Next attempt in 1 s");
  const proxy = await appear();
  await process.says(started);
  process.kill("SIGTERM");
  expect(await process.ended).toMatchObject({ code: 0 });
  await proxy.close();
});

test("a server that waits for its database stops on SIGTERM", async () => {
  const { url } = await lateDatabase();
  const serving = startRunledger({ cwd: freshFolder(), env: { RUNLEDGER_STORE: url } }, "serve", "--port", "0");
  await serving.says("Next attempt in");
  serving.kill("SIGTERM");
  expect(await serving.ended).toMatchObject({ code: 4, signal: null });
});

test("ledger.worker() waits for a store that is away at its start", async () => {
  const { url, appear } = await lateDatabase();
  let proxy = await appear();
  const ledger = await connect(url);
  await proxy.close();
  const hello = workflow("hello", { version: "1" }, (w) => w.step("greet", () => "hello"));
  const starting = ledger.worker({ workflows: [hello] });
  await expect(ledger.store.fetchHeads(["a"])).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  proxy = await appear();
  await starting;
  expect(await (await ledger.start(hello)).result()).toBe("hello");
  await ledger.close();
  await proxy.close();
});

test("a changed password file of an embedded database is reported with a remedy", async () => {
  const folder = join(freshFolder(), "data");
  await (await connect(`embedded:${folder}`)).close();
  const password = readFileSync(join(folder, "password"), "utf8");
  writeFileSync(join(folder, "password"), "another\n");
  await expect(connect(`embedded:${folder}`)).rejects.toMatchObject({
    code: "EMBEDDED_START_FAILED",
    message: expect.stringContaining(`refused the password in ${folder}/password`) as string,
  });
  writeFileSync(join(folder, "password"), password);
  await (await connect(`embedded:${folder}`)).close();
});
