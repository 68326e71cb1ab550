import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface ArtifactsChoice {
  readonly config: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder to which a configured `file:./folder` is relative. */
  readonly root: string;
}

/** RUNLEDGER_ARTIFACTS, then the configuration. `undefined` if artifacts are in the store. */
export function resolveArtifacts({ config = "", environment, root }: ArtifactsChoice): string | undefined {
  const variable = environment["RUNLEDGER_ARTIFACTS"] ?? "";
  if (variable !== "") return variable;
  if (config === "") return undefined;
  if (!config.startsWith("file:") || config.startsWith("file:/")) return config;
  return pathToFileURL(resolve(root, config.slice("file:".length))).href;
}
