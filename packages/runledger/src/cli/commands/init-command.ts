/** `init` creates a project that installs, type-checks, passes its test and runs. It never overwrites a file. */
import { existsSync } from "node:fs";
import { cp, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import { makeFolders } from "@runledger/runtime/config/make-folders";
import { packageVersion } from "@runledger/runtime/config/package-version";
import { printNext, print } from "../render/terminal.js";

const TEMPLATE = fileURLToPath(new URL("../../../templates/project", import.meta.url));
/** npm does not publish a file named .gitignore. */
const RENAMED = { gitignore: ".gitignore" };
const FILES = ["package.json", "README.md"];
/** A folder with one of these already has a project. */
const PROJECT_FILES = ["package.json", "runledger.config.ts", "tsconfig.json", "README.md", "src"];

export function addInitCommand(program: Command): void {
  program
    .command("init")
    .summary("create a project with a workflow, its test and a configuration")
    .argument("[folder]", "folder of the project; created if it does not exist", ".")
    .action((folder: string) => init(resolve(folder)));
}

async function init(folder: string): Promise<void> {
  const existing = PROJECT_FILES.find((name) => existsSync(join(folder, name)));
  if (existing !== undefined) throw projectExists(folder, existing);
  await makeFolders(folder);
  await cp(TEMPLATE, folder, { recursive: true, force: false });
  for (const [from, to] of Object.entries(RENAMED)) await rename(join(folder, from), join(folder, to));
  for (const file of FILES) await fillIn(join(folder, file), basename(folder));
  printResult(folder);
}

async function fillIn(file: string, name: string): Promise<void> {
  const words = { NAME: toPackageName(name), RUNLEDGER: packageVersion(), ZOD: "^4.0.0" };
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replaceAll(/__([A-Z]+)__/g, (whole, word: string) => words[word as "NAME"] ?? whole),
  );
}

function toPackageName(name: string): string {
  const clean = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-._]+/, "");
  return clean === "" ? "my-workflows" : clean;
}

function projectExists(folder: string, name: string): InputError {
  const what = `${relative(process.cwd(), join(folder, name)) || name} already exists`;
  return new InputError(
    "OPTION_INVALID",
    "folder",
    `${what}. Use an empty folder; runledger init does not overwrite files.`,
  );
}

function printResult(folder: string): void {
  const from = relative(process.cwd(), folder);
  print(`Created a project in ${from === "" ? "this folder" : from}: a workflow, its test and a configuration.`);
  const enter = from === "" ? "" : `cd ${from} && `;
  printNext(`${enter}npm install && npm test && npm run dev`);
}
