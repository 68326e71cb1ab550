import { SymbolFlags } from "typescript/unstable/sync";
import type { Exported, OpenPackages, PublishedPackage } from "./open-packages.js";

const hasMembers = SymbolFlags.Class | SymbolFlags.Interface;

/** Writes a module that exports every member of every type of a package without a type annotation, so that it is inferred. */
export function consumerSource(open: OpenPackages, { entries }: PublishedPackage): string {
  return [...entries]
    .map(([path, file], entry) => {
      const types = open.exportsOf(file).filter(({ symbol }) => symbol.flags & hasMembers);
      const lines = types.map((exported, index) => membersOf(open, exported, `${entry}_${index}`));
      return `import type * as api${entry} from "${path}";\n${lines.join("")}`;
    })
    .join("\n");
}

/** Returns nothing for a generic type, which a consumer would have to choose an argument for. */
function membersOf(open: OpenPackages, { name, symbol }: Exported, suffix: string): string {
  const { checker } = open.project;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  if (type.isClassOrInterface() && type.getTypeParameters().length > 0) return "";
  const names = checker.getPropertiesOfType(type).map((member) => member.name);
  const [entry = ""] = suffix.split("_");
  const declared = `declare const v${suffix}: api${entry}.${name};\n`;
  const members = names.filter((member) => /^\w+$/.test(member));
  return declared + members.map((member) => `export const v${suffix}_${member} = v${suffix}.${member};\n`).join("");
}
