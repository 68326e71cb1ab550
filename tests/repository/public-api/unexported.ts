import { SymbolFlags, type Symbol as TsSymbol } from "typescript/unstable/sync";
import { SyntaxKind, type Node } from "typescript/unstable/ast";
import {
  isConstructorDeclaration,
  isExpressionWithTypeArguments,
  isImportTypeNode,
  isTypeQueryNode,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";
import type { Exported, OpenPackages, PublishedPackage } from "./open-packages.js";

/** Lists the types that a package's public signatures mention and that it does not export. */
export function unexported(open: OpenPackages, { entries }: PublishedPackage): string[] {
  const exported = [...entries.values()].flatMap((file) => open.exportsOf(file));
  const known = new Set(exported.map(({ symbol }) => symbol.id));
  const found = exported.flatMap((one) =>
    mentionedBy(open, one)
      .filter((symbol) => !known.has(symbol.id) && !isPlatform(symbol))
      .map((symbol) => `${one.name} mentions ${symbol.name}`),
  );
  return [...new Set(found)].toSorted();
}

function mentionedBy(open: OpenPackages, { symbol, isTypeOnly }: Exported): TsSymbol[] {
  const { project } = open;
  const names: Node[] = [];
  const visit = (node: Node): void => {
    if (isHidden(node) || (isTypeOnly && isConstructorDeclaration(node))) return;
    const name = nameIn(node);
    if (name !== undefined) names.push(name);
    node.forEachChild(visit);
  };
  for (const handle of symbol.declarations) visit(handle.resolve(project)!);
  return project.checker
    .getSymbolAtLocation(names)
    .filter((found) => found !== undefined)
    .map((found) => open.declared(found))
    .filter(({ flags }) => !(flags & SymbolFlags.TypeParameter));
}

/** The name by which a node mentions a type or, with `typeof`, a value. */
function nameIn(node: Node): Node | undefined {
  if (isTypeReferenceNode(node)) return node.typeName;
  if (isExpressionWithTypeArguments(node)) return node.expression;
  if (isTypeQueryNode(node)) return node.exprName;
  return isImportTypeNode(node) ? node.qualifier : undefined;
}

function isHidden(node: Node): boolean {
  const { modifiers = [] } = node as { readonly modifiers?: readonly Node[] };
  return modifiers.some(({ kind }) => kind === SyntaxKind.PrivateKeyword);
}

/** Whether JavaScript, the platform, Node or the API of OpenTelemetry declares it. Users import the last one themselves. */
function isPlatform({ declarations }: TsSymbol): boolean {
  return declarations.every(({ path }) => /\/node_modules\/@(types\/node|typescript|opentelemetry\/api)\//.test(path));
}
