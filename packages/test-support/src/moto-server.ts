/** AWS services for tests: Moto, with its packages pinned in the cache folder. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { requireTool, type Requirement } from "./requirements.js";
import { freePort, listening } from "./servers.js";

const folder = inRepository("packages/test-support/moto");

export const requireMoto: readonly Requirement[] = [requireTool("python3")];

export interface MotoServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startMoto(): Promise<MotoServer> {
  const packages = await motoPackages();
  const port = await freePort();
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn("python3", [join(folder, "server.py"), String(port)], { env, stdio: ["pipe", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text: Buffer) => (log = (log + text.toString()).slice(-4000)));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await listening(port, child, () => log);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function motoPackages(): Promise<string> {
  const requirements = join(folder, "requirements.txt");
  const content = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  return await cached(`moto-${content}`, async (draft) => {
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", draft];
    const { code, stderr } = await capture("python3", [...args, "--requirement", requirements]);
    if (code !== 0) throw new Error(`pip install of ${requirements} failed: ${stderr}`);
  });
}
