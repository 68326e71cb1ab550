import { resolve } from "node:path";

export interface ArchiveChoice {
  readonly config: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder to which a configured folder is relative. */
  readonly root: string;
}

/** RUNLEDGER_ARCHIVE, then the configuration. `undefined` if runs are not copied to files. */
export function resolveArchive({ config = "", environment, root }: ArchiveChoice): string | undefined {
  const variable = environment["RUNLEDGER_ARCHIVE"] ?? "";
  if (variable !== "") return variable;
  if (config === "") return undefined;
  return /^(s3|file):/.test(config) ? config : resolve(root, config);
}
