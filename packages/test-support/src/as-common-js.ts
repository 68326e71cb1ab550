/**
 * The same program for `require`: ES imports become calls of require, the rest goes into an async function, because a
 * CommonJS file has no top-level await. Knows the forms of import that a README uses.
 */
export function asCommonJs(module: string): string {
  const requires: string[] = [];
  const body = module.replaceAll(/^import\s+(?:([^"';]+?)\s+from\s+)?["']([^"']+)["'];?$/gm, (_, clause, from) => {
    requires.push(requireOf(clause as string | undefined, from as string));
    return "";
  });
  return `${requires.join("\n")}\n(async () => {\n${body.replaceAll(/^export\s+(?!\{)/gm, "").replaceAll(/^export \{.*$/gm, "")}\n})();\n`;
}

function requireOf(clause: string | undefined, from: string): string {
  const call = `require(${JSON.stringify(from)})`;
  if (clause === undefined) return `${call};`;
  if (clause.startsWith("{")) return `const ${clause.replaceAll(/\s+as\s+/g, ": ")} = ${call};`;
  if (clause.startsWith("*")) return `const ${clause.replace(/^\*\s+as\s+/, "")} = ${call};`;
  return `const ${clause} = ${call}.default;`;
}
