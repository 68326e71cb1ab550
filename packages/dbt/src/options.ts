/** The options of a `dbt` step, and how they are checked. */
import type { JsonObject } from "@runledger/contracts";
import type { TextOrSecret } from "@runledger/runtime/workflow/step-tools";
import { dbtError } from "./errors.js";
import { MAX_FAILING_ROWS } from "./failing-rows.js";

export type DbtCommand = "build" | "run" | "test" | "seed" | "snapshot";

const COMMANDS: readonly unknown[] = ["build", "run", "test", "seed", "snapshot"] satisfies readonly DbtCommand[];

export interface DbtOptions {
  /** Folder of the dbt project, absolute or relative to the worker's working directory. */
  readonly project: string;
  /** Default: `build`. */
  readonly command?: DbtCommand;
  /** Folder of `profiles.yml`. Default: the project's folder. */
  readonly profiles?: string;
  /** Profile to use. Default: the one that the project names. */
  readonly profile?: string;
  /** Target of the profile. Default: the one that the profile names. */
  readonly target?: string;
  /** Selects nodes, as `dbt --select` does. Default: all. */
  readonly select?: readonly string[];
  /** Excludes nodes, as `dbt --exclude` does. */
  readonly exclude?: readonly string[];
  /** Variables of the project. */
  readonly vars?: JsonObject;
  /** Builds incremental models and seeds again from scratch. */
  readonly fullRefresh?: boolean;
  /** Number of nodes that run at a time. Default: that of the profile. */
  readonly threads?: number;
  /**
   * Number of rows to keep of each failing test, at most 100. They are an artifact that every reader of the run's payloads can
   * read. Default: 0, no rows are kept.
   */
  readonly failingRows?: number;
  /** Variables of the dbt process, besides `PATH`, `HOME`, `LANG` and the run's ids. */
  readonly env?: Readonly<Record<string, TextOrSecret>>;
}

/** Expected type of each option. The compiler reports an option that is missing here. */
const TYPES: Readonly<Record<keyof DbtOptions, (value: unknown) => boolean>> = {
  project: isText,
  command: (value) => COMMANDS.includes(value),
  profiles: isText,
  profile: isText,
  target: isText,
  select: isTexts,
  exclude: isTexts,
  vars: isObject,
  fullRefresh: (value) => typeof value === "boolean",
  threads: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  failingRows: (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_FAILING_ROWS,
  env: isObject,
};

export function checkOptions(options: JsonObject): DbtOptions {
  for (const [name, value] of Object.entries(options)) {
    const isValid = (TYPES as Readonly<Record<string, (value: unknown) => boolean>>)[name];
    if (isValid === undefined)
      throw invalid(`"${name}" is not an option. The options are ${Object.keys(TYPES).join(", ")}.`);
    if (!isValid(value)) throw invalid(`The value of "${name}" is not valid.`);
  }
  if (options["project"] === undefined) throw invalid('The option "project" is missing.');
  return options as unknown as DbtOptions;
}

/** A value that starts with a hyphen would be read as another option of dbt. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.startsWith("-") && !value.includes("\0");
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(problem: string): Error {
  return dbtError("DBT_OPTION_INVALID", `${problem} Correct the step's options.`);
}
