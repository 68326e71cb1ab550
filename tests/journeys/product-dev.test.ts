// @module-tag U-01
/** `npm start` and `runledger dev` as real processes in a fresh folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { bin, freshFolder, freshProject, startRunledger } from "@runledger/test-support/runledger-command";
import { leftBehind, product, samplesOf, until } from "./product.js";

test("Ctrl-C lets running steps finish, and a second Ctrl-C releases them", async () => {
  const folder = freshFolder();
  const dev = product(folder);
  const samples = await samplesOf(dev);
  await until(folder, [...samples.values()][3]!, "RUNNING"); // for half a minute
  dev.kill("SIGINT");
  await dev.says("Stopping after running steps finish");
  await new Promise((resolve) => setTimeout(resolve, 300));
  dev.kill("SIGINT");
  expect(await dev.ended).toEqual({ code: 0, signal: null });
  expect(leftBehind(folder)).toEqual([]);
});

test("an invalid configuration is reported in one line", { tags: ["U-03"] }, async () => {
  const broken = { cwd: freshProject({ "runledger.config.ts": "export default {" }) };
  const dev = startRunledger(broken, "dev");
  expect(await dev.ended).toMatchObject({ code: 2 });
  expect(dev.output).toMatch(/^error CONFIG_INVALID .*\n$/);
});

test("an old Node is reported in one line with a remedy", { tags: ["U-03"] }, async () => {
  const old =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.4'}})";
  const child = spawn(process.execPath, ["--import", old, bin, "dev"]);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = (await once(child, "close")) as [number];
  expect([code, errors]).toEqual([2, expect.stringMatching(/^error NODE_TOO_OLD {2}.*20\.20.*18\.20\.4.*\n$/)]);
});
