/** The browser of a run: a real Chromium, from npm. */
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import type { Service } from "./shared-services.js";

/** The browser may run as root, like the tests, and must not connect to other servers. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** In one process with its pages a browser ends with the first of them; and it shall refuse what browsers refuse. */
const UNWANTED = new Set([
  "--single-process",
  "--disable-web-security",
  "--allow-running-insecure-content",
  "--ignore-gpu-blocklist", // the emulation of a graphics card takes most of the browser's time
  "--in-process-gpu",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
]);

export async function startSharedBrowser(): Promise<Service> {
  const { version } = readJson(inRepository("node_modules/@sparticuz/chromium/package.json")) as { version: string };
  const folder = await cached(`chromium-${version}`, unpack);
  const executablePath = join(folder, "chromium");
  const args = [...chromium.args.filter((arg) => !UNWANTED.has(arg)), ...ARGS];
  const server = await playwright.launchServer({ executablePath, args, headless: true, host: "127.0.0.1" });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

const UNPACK = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;

/** It unpacks itself into the temporary folder that it sees; two runs at once would disturb each other there. */
async function unpack(draft: string): Promise<void> {
  const args = ["--input-type=module", "-e", UNPACK];
  const { code, stderr } = await capture(process.execPath, args, { cwd: inRepository("."), env: { TMPDIR: draft } });
  if (code !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
}
