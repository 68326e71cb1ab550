/** Reads the members of a type and their comments from a source file, which works because the files are formatted. */
import { readFileSync } from "node:fs";
import { inRepository } from "../../../../scripts/lib/repository.mjs";
import { comment, type Member } from "./read-interface.js";

const COMMENT = String.raw`(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?`;
const PROPERTY = new RegExp(String.raw`${COMMENT}\breadonly (\w+)(\??): `, "g");
const METHOD = new RegExp(String.raw`${COMMENT}^ {2}(?:async |get |\*)*([a-z]\w*)(?=[<(])`, "gm");
const NOT_METHODS = new Set(["constructor", "return", "if", "for", "while", "switch"]);

/** The text of an interface, a class or a type, up to the next declaration. */
export function declarationOf(file: string, name: string): string {
  const text = readFileSync(inRepository(file), "utf8");
  const start = new RegExp(`^export (?:interface|class|type) ${name}\\b`, "m").exec(text);
  if (start === null) throw new Error(`${file} does not declare ${name}.`);
  const rest = text.slice(start.index);
  const end = /\n(?=(?:\/\*\*[\s\S]*?\*\/\n|\/\/.*\n)?(?:export|declare|const|type|interface|function|class) )/.exec(
    rest,
  );
  return end === null ? rest : rest.slice(0, end.index);
}

/** All properties, also those of nested objects. */
export function propertiesOf(declaration: string): Member[] {
  return unique(
    [...declaration.matchAll(PROPERTY)].map((found) => ({
      name: found[2]!,
      optional: found[3] === "?",
      type: typeAt(declaration, found.index + found[0].length),
      says: comment(found[1]),
    })),
  );
}

/** Methods with their text up to the next one. The first overload with a comment describes the method. */
export function methodsOf(declaration: string): (Member & { readonly text: string })[] {
  const found = [...declaration.matchAll(METHOD)].filter(([, , name]) => !NOT_METHODS.has(name!));
  const all = found.map(({ 0: whole, 1: says, 2: name, index }, at) => ({
    name: name!,
    optional: false,
    type: "",
    says: comment(says),
    text: declaration.slice(index + whole.length - name!.length, found[at + 1]?.index ?? declaration.length),
  }));
  const textOf = (name: string): string =>
    all
      .filter((each) => each.name === name)
      .map(({ text }) => text)
      .join("\n");
  return unique(all).map((one) => ({ ...one, text: textOf(one.name) }));
}

/** The first with a comment wins; another one only if none has a comment. */
function unique<T extends Member>(members: readonly T[]): T[] {
  const chosen = new Map<string, T>();
  for (const member of members) if ((chosen.get(member.name)?.says ?? "") === "") chosen.set(member.name, member);
  return [...chosen.values()];
}

/** Reads a type up to the end of its property. */
function typeAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    const isArrow = character === ">" && text[at - 1] === "=";
    if ("([{<".includes(character)) depth++;
    if (")]}>".includes(character) && !isArrow && depth-- === 0) return clean(text.slice(start, at));
    if (character === ";" && depth === 0) return clean(text.slice(start, at));
  }
  return clean(text.slice(start));
}

function clean(type: string): string {
  const withoutComments = type.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  return withoutComments.replaceAll("readonly ", "").replaceAll(/\s+/g, " ").replace(/^\| /, "").trim();
}
