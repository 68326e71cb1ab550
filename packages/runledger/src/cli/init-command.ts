/** `init`: a project that installs, type-checks, passes its test and runs. Nothing that is there is overwritten. */
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import { packageVersion } from "../config/package-version.js";
import { next, print } from "./terminal.js";

const TEMPLATE = fileURLToPath(new URL("../../templates/project", import.meta.url));
/** npm does not pack a file of this name. */
const RENAMED = { gitignore: ".gitignore" };
const FILES = ["package.json", "README.md"];
/** Where one of these is, a project is already. */
const TAKEN = ["package.json", "runledger.config.ts", "tsconfig.json", "README.md", "src"];

export function addInitCommand(program: Command): void {
  program
    .command("init")
    .summary("make a new project: a workflow, its test, a configuration")
    .argument("[folder]", "where; it is made if need be", ".")
    .action((folder: string) => init(resolve(folder)));
}

async function init(folder: string): Promise<void> {
  const taken = TAKEN.find((name) => existsSync(join(folder, name)));
  if (taken !== undefined) throw exists(folder, taken);
  await mkdir(folder, { recursive: true });
  await cp(TEMPLATE, folder, { recursive: true, force: false });
  for (const [from, to] of Object.entries(RENAMED)) await rename(join(folder, from), join(folder, to));
  for (const file of FILES) await fillIn(join(folder, file), basename(folder));
  tell(folder);
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

function exists(folder: string, name: string): InputError {
  const what = `${relative(process.cwd(), join(folder, name)) || name} is there already`;
  return new InputError("OPTION_INVALID", "folder", `${what}, and nothing is overwritten; name an empty folder.`);
}

function tell(folder: string): void {
  const from = relative(process.cwd(), folder);
  print(`Made a project in ${from === "" ? "this folder" : from}: a workflow, its test and a configuration.`);
  const enter = from === "" ? "" : `cd ${from} && `;
  next(`${enter}npm install && npm test && npm run dev`);
}
