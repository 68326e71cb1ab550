import { InputError } from "@runledger/contracts";
import { checkKeys } from "./check-keys.js";
import type { RunledgerConfig } from "./define-config.js";
import { withLoadError } from "./load-failure.js";
import type { ModuleLoader } from "./module-loader.js";

/** Loads the default export of a configuration module and checks the fields that Runledger reads. */
export async function loadConfig(loader: ModuleLoader, file: string): Promise<RunledgerConfig> {
  const { default: config } = await withLoadError(file, () => loader.load(file));
  if (!isObject(config)) throw invalid(file, "exports no configuration. Write export default defineConfig({ … }).");
  const { workflows, store, samples = [] } = config;
  if (Array.isArray(samples)) checkKeys(file, config as unknown as RunledgerConfig);
  if (!Array.isArray(workflows) || workflows.length === 0 || !workflows.every((pattern) => typeof pattern === "string"))
    throw invalid(file, `workflows must be a list of patterns, such as ["./workflows/**/*.ts"].`);
  if (store !== undefined && typeof store !== "string")
    throw invalid(file, `store must be a URL, such as "postgres://…".`);
  if (!["undefined", "function"].includes(typeof (config as Partial<RunledgerConfig>).server?.authorize))
    throw invalid(
      file,
      "server.authorize must be a function that returns { allowed: true } or { allowed: false, reason }.",
    );
  if (!Array.isArray(samples) || !samples.every(isSample))
    throw invalid(file, "samples must be a list of { name, workflow, … }.");
  return config as unknown as RunledgerConfig;
}

function isSample(sample: unknown): boolean {
  return isObject(sample) && typeof sample["name"] === "string" && typeof sample["workflow"] === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function invalid(file: string, message: string): InputError {
  return new InputError("CONFIG_INVALID", file, message);
}
