import type { Node } from "typescript/unstable/ast";
import { isClassDeclaration, isConstructorDeclaration, isVariableDeclaration } from "typescript/unstable/ast/is";
import { packageOf, type Exported, type OpenPackages, type PublishedPackage } from "./open-packages.js";

/** Prints the public declarations of a package, without comments and private members. */
export function printApi(open: OpenPackages, pkg: PublishedPackage): string {
  const paths = pkg.paths.map((path) => `// exports ${path}\n`).join("");
  const entries = [...pkg.entries].map(([path, file]) => {
    const own = open.exportsOf(file).filter(({ from }) => from === pkg.folder);
    const lines = [...open.starsIn(file).map((star) => `${star}\n`), ...own.map((one) => printExport(open, pkg, one))];
    return `\n// ${path}\n${lines.join("")}`;
  });
  return paths + entries.join("");
}

/** A name that another package declares is printed as a re-export: the declaration is in that package's own file. */
function printExport(open: OpenPackages, pkg: PublishedPackage, exported: Exported): string {
  const { name, symbol, isTypeOnly } = exported;
  const origin = packageOf(symbol.declarations[0]!.path);
  if (origin !== pkg.folder)
    return `export ${isTypeOnly ? "type " : ""}{ ${nameAs(symbol.name, name)} } from "@runledger/${origin}";\n`;
  const renamed = symbol.name === name ? "" : `export { ${nameAs(symbol.name, name)} };\n`;
  const declarations = symbol.declarations.map((handle) => print(open, handle.resolve(open.project)!, isTypeOnly));
  return renamed + declarations.join("");
}

function print(open: OpenPackages, node: Node, isTypeOnly: boolean): string {
  const text = open.project.emitter.printNode(node);
  if (isVariableDeclaration(node)) return `export declare const ${text};\n`;
  const lines = text.split("\n").filter((line) => !/^ {4}(?:static )?(?:private |#private)/.test(line));
  return `${(isTypeOnly ? withoutConstructor(lines, open, node) : lines).join("\n")}\n`;
}

/** A class that is exported as a type cannot be constructed. */
function withoutConstructor(lines: readonly string[], open: OpenPackages, node: Node): readonly string[] {
  if (!isClassDeclaration(node)) return lines;
  const constructors = node.members.filter(isConstructorDeclaration);
  const printed = constructors.map(
    (member) => `    ${open.project.emitter.printNode(member).replaceAll("\n", "\n    ")}`,
  );
  return printed.reduce((text, member) => text.replace(`${member}\n`, ""), lines.join("\n")).split("\n");
}

const nameAs = (name: string, exported: string): string => (name === exported ? name : `${name} as ${exported}`);
