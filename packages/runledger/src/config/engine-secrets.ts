/** Secrets of the engine that neither a URL nor a file of the project should contain. */
import { readFileSync } from "node:fs";
import { omitUndefined } from "@runledger/contracts";
import type { EngineConfig } from "./engine-config.js";

/**
 * Adds the API key and the payload keys of the environment, which take precedence. Removes them from it, so that programs
 * of steps cannot read them (S1).
 */
export function withEngineSecrets(config: EngineConfig, environment: Record<string, string | undefined>): EngineConfig {
  if (config.kind !== "temporal") return config;
  const keysFile = environment["RUNLEDGER_TEMPORAL_KEYS_FILE"] ?? "";
  const apiKey = take(environment, "RUNLEDGER_TEMPORAL_API_KEY");
  const keys = take(environment, "RUNLEDGER_TEMPORAL_KEYS");
  const payloadKeys = keys ?? (keysFile === "" ? undefined : readFileSync(keysFile, "utf8"));
  return { ...config, ...omitUndefined({ apiKey, payloadKeys }) };
}

function take(environment: Record<string, string | undefined>, name: string): string | undefined {
  const value = environment[name] ?? "";
  delete environment[name];
  return value === "" ? undefined : value;
}
