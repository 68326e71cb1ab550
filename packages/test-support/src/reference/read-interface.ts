/** Reads interfaces from source files with a few patterns, which works because the files are formatted. */
import { readFileSync } from "node:fs";
import { inRepository } from "../../../../scripts/lib/repository.mjs";

export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  readonly says: string;
}

export interface Interface {
  readonly says: string;
  /** The interface that it extends; empty if there is none. */
  readonly base: string;
  readonly members: readonly Member[];
}

const COMMENT = String.raw`(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?`;
const MEMBER = new RegExp(String.raw`${COMMENT}readonly (\w+)(\??):\s*([\s\S]*?);\n`, "g");

/** Returns `null` if the file has no interface with that name. */
export function readInterface(file: string, name: string): Interface | null {
  const text = readFileSync(inRepository(file), "utf8");
  const found = new RegExp(`${COMMENT}export interface ${name}(?: extends ([^{]+?))? \\{\n([\\s\\S]*?)^\\}`, "m").exec(
    text,
  );
  if (found === null) return null;
  const [, says, base = "", body = ""] = found;
  const members = [...body.matchAll(MEMBER)].map(([, said, member, optional, type]) => ({
    name: member!,
    optional: optional === "?",
    type: oneLine(type!).replaceAll("readonly ", ""),
    says: comment(said),
  }));
  return { says: comment(says), base, members };
}

/** Removes the stars and the citations of rules, which are for readers of the code. */
export function comment(text = ""): string {
  return oneLine(text.replaceAll(/^\s*\* ?/gm, "")).replaceAll(/ \([A-Z]\d+(, [A-Z]\d+)*\)/g, "");
}

export function table(members: readonly Member[]): string {
  const rows = members.map(
    ({ name, optional, type, says }) => `| \`${name}\` | ${cell(type)} | ${optional ? "" : "yes"} | ${inCell(says)} |`,
  );
  return ["| field | type | required | |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

const inCell = (text: string): string => text.replaceAll("|", "\\|");
const cell = (type: string): string => `\`${inCell(type)}\``;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
