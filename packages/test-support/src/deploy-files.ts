/** The files of deploy/ as data. */
import { readFileSync } from "node:fs";
import { inRepository } from "../../../scripts/lib/repository.mjs";

const read = (name: string): string => readFileSync(inRepository(`deploy/${name}`), "utf8");

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** A list of instructions per stage. Instructions before the first FROM are the first stage. */
export function dockerStages(): Instruction[][] {
  const lines = read("Dockerfile")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const stages: Instruction[][] = [[]];
  for (const line of lines) {
    const [, word = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === "") throw new Error(`deploy/Dockerfile: ${line}`);
    if (word === "FROM") stages.push([]);
    stages.at(-1)!.push({ word, rest });
  }
  return stages;
}

/** By section and key, all values that were given. */
export function unitFile(name: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let section = "";
  for (const line of read(name).split("\n")) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const [, header] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (key === undefined || section === "") throw new Error(`deploy/${name}: ${line}`);
    else found.set(`${section}.${key}`, [...(found.get(`${section}.${key}`) ?? []), value]);
  }
  return found;
}

export const deployFile = read;
