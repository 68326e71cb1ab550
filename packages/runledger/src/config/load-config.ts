import { InputError } from "@runledger/contracts";
import type { RunledgerConfig } from "./define-config.js";
import { explainingFailure } from "./load-failure.js";
import type { ModuleLoader } from "./module-loader.js";

/** The configuration that a module exports by default, checked for what is read of it. */
export async function loadConfig(loader: ModuleLoader, file: string): Promise<RunledgerConfig> {
  const { default: config } = await explainingFailure(file, () => loader.load(file));
  if (!isObject(config)) throw invalid(file, "it exports no configuration; export default defineConfig({ … }).");
  const { workflows, store, samples = [] } = config;
  if (!Array.isArray(workflows) || workflows.length === 0 || !workflows.every((pattern) => typeof pattern === "string"))
    throw invalid(file, `workflows must be a list of patterns, as in ["./workflows/**/*.ts"].`);
  if (store !== undefined && typeof store !== "string")
    throw invalid(file, `store must be a URL, as in "postgres://…".`);
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
