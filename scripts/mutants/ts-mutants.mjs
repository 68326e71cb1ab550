/**
 * Small faults in TypeScript sources: turned conditions, other operators, dropped calls.
 * @typedef {{ operator: string, start: number, end: number, text: string }} Edit replaces a range of a file
 * @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node
 */
import { parseAst } from "vitest/node";
import { sqlEdits } from "./sql-mutants.mjs";

/** @type {Readonly<Record<string, string>>} */
const OTHER_OPERATOR = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "-": "+",
  "*": "/",
  "/": "*",
};
/** @type {Readonly<Record<string, string>>} */
const OTHER_METHOD = { some: "every", every: "some", min: "max", max: "min" };
/** Calls that return what they are called on, or a part of it. */
const DROPPED_METHODS = new Set(["filter", "slice", "sort", "toSorted", "reverse", "toReversed", "trim"]);
const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE)\b/;

/** @param {string} source @returns {Edit[]} */
export function typeScriptEdits(source) {
  /** @type {Edit[]} */
  const edits = [];
  // oxlint-disable-next-line typescript/no-deprecated -- vitest does not export the parser that replaces it
  const program = /** @type {Node} */ (/** @type {unknown} */ (parseAst(source, { lang: "ts" })));
  visit(program, (node) => edits.push(...editsOf(node, source)));
  return edits;
}

/** @param {Node} node @param {(node: Node) => void} handle */
function visit(node, handle) {
  if (node.type.startsWith("TS") && !EXPRESSIONS_OF_TYPESCRIPT.has(node.type)) return;
  if (node.type === "ThrowStatement" || node.type === "ImportDeclaration") return;
  handle(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, handle);
}

const EXPRESSIONS_OF_TYPESCRIPT = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "TSParameterProperty",
]);

/** @param {unknown} value @returns {value is Node} */
const isNode = (value) => typeof value === "object" && value !== null && "type" in value && "start" in value;

/** @param {Node} node @param {string} source @returns {Edit[]} */
function editsOf(node, source) {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return operatorEdits(node, source);
    case "IfStatement":
    case "ConditionalExpression":
      return conditionEdits(node);
    case "UnaryExpression":
      return node["operator"] === "!" ? [edit("drop !", node.start, node.start + 1, "")] : [];
    case "Literal":
      return typeof node["value"] === "boolean" ? [replace("turn boolean", node, String(!node["value"]))] : [];
    case "ExpressionStatement":
      return statementEdits(node);
    case "CallExpression":
      return callEdits(node, source);
    case "TemplateElement":
      return sqlInside(node, source);
    default:
      return [];
  }
}

/** @param {Node} node @param {string} source */
function operatorEdits(node, source) {
  const [left, right] = [/** @type {Node} */ (node["left"]), /** @type {Node} */ (node["right"])];
  const other = OTHER_OPERATOR[String(node["operator"])];
  const at = source.indexOf(String(node["operator"]), left.end);
  if (other === undefined || at < 0 || at >= right.start) return [];
  return [edit(`${String(node["operator"])} to ${other}`, at, at + String(node["operator"]).length, other)];
}

/** @param {Node} node */
function conditionEdits(node) {
  const condition = /** @type {Node} */ (node["test"]);
  return ["true", "false"].map((text) => replace(`condition is ${text}`, condition, text));
}

/** @param {Node} node */
function statementEdits(node) {
  const { type } = /** @type {Node} */ (node["expression"]);
  const drops = ["CallExpression", "AwaitExpression", "AssignmentExpression", "UpdateExpression"].includes(type);
  return drops ? [replace("drop statement", node, ";")] : [];
}

/** @param {Node} node @param {string} source */
function callEdits(node, source) {
  const callee = /** @type {Node} */ (node["callee"]);
  if (callee.type !== "MemberExpression") return [];
  const [object, property] = [/** @type {Node} */ (callee["object"]), /** @type {Node} */ (callee["property"])];
  const name = source.slice(property.start, property.end);
  const other = Object.hasOwn(OTHER_METHOD, name) ? OTHER_METHOD[name] : undefined;
  if (other !== undefined) return [replace(`${name} to ${other}`, property, other)];
  return DROPPED_METHODS.has(name) ? [edit(`drop ${name}`, object.end, node.end, "")] : [];
}

/** @param {Node} node @param {string} source */
function sqlInside(node, source) {
  const text = source.slice(node.start, node.end);
  if (!SQL.test(text)) return [];
  return sqlEdits(text).map((found) => ({ ...found, start: found.start + node.start, end: found.end + node.start }));
}

/** @param {string} operator @param {Node} node @param {string} text */
const replace = (operator, node, text) => edit(operator, node.start, node.end, text);

/** @param {string} operator @param {number} start @param {number} end @param {string} text @returns {Edit} */
const edit = (operator, start, end, text) => ({ operator, start, end, text });
