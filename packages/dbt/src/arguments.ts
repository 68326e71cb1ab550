/** Builds the command line of dbt. */
import type { DbtOptions } from "./options.js";
import type { Scratch } from "./scratch.js";

const STREAM = ["--log-format", "json", "--no-use-colors", "--log-level-file", "none"];

/** Runs the nodes. `selection` replaces the user's selection. */
export function runArguments(options: DbtOptions, scratch: Scratch, selection: readonly string[] | null): string[] {
  const { command = "build", fullRefresh = false, threads } = options;
  return [
    ...STREAM,
    "--log-level",
    "debug", // starts and ends of nodes are debug events
    command,
    ...places(options, scratch),
    ...(selection ?? userSelection(options)),
    ...(fullRefresh && command !== "test" && command !== "snapshot" ? ["--full-refresh"] : []),
    ...(threads === undefined ? [] : ["--threads", String(threads)]),
  ];
}

/** Lists the nodes that the user selects, and runs nothing. */
export function listArguments(options: DbtOptions, scratch: Scratch): string[] {
  const output = ["--output", "json", "--output-keys", "unique_id"];
  return [...STREAM, "--log-level", "debug", "ls", ...places(options, scratch), ...userSelection(options), ...output];
}

/** Prints the first rows of tests as JSON. The target folder is its own, so that the files of the build stay. */
export function showArguments(options: DbtOptions, scratch: Scratch, selection: readonly string[]): string[] {
  const { failingRows = 0, threads } = options;
  const output = ["--output", "json", "--limit", String(failingRows)];
  const more = threads === undefined ? [] : ["--threads", String(threads)];
  const own = { ...placesOf(options, scratch), "--target-path": scratch.shown };
  return [...STREAM, "--log-level", "debug", "show", ...Object.entries(own).flat(), ...selection, ...output, ...more];
}

function places(options: DbtOptions, scratch: Scratch): string[] {
  return Object.entries(placesOf(options, scratch)).flat();
}

function placesOf({ profile, target, vars }: DbtOptions, scratch: Scratch): Readonly<Record<string, string>> {
  return {
    "--project-dir": scratch.project,
    "--profiles-dir": scratch.profiles,
    "--target-path": scratch.target,
    "--log-path": scratch.logs,
    ...(profile !== undefined && { "--profile": profile }),
    ...(target !== undefined && { "--target": target }),
    ...(vars !== undefined && { "--vars": JSON.stringify(vars) }),
  };
}

function userSelection({ select, exclude }: DbtOptions): string[] {
  return [
    ...(select === undefined ? [] : ["--select", ...select]),
    ...(exclude === undefined ? [] : ["--exclude", ...exclude]),
  ];
}
