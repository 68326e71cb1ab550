/** Limits of a workflow that is published over HTTP. Servers and workers parse it, so its cost must be small for every text. */
import { PlanError } from "@runledger/contracts";

const MAX_VALUES = 10_000;
const MAX_STEPS = 1000;
const MAX_DEPTH = 40;
/** Fields of one object. Parsing compares each with all others. */
const MAX_FIELDS = 1000;
const MAX_NAME = 200;

const STEP_LISTS = new Set(["steps", "then", "otherwise"]);

interface Counts {
  values: number;
  steps: number;
}

/** Throws a PlanError with PLAN_TOO_LARGE. Call it before anything else reads the document. */
export function checkDocumentLimits(document: unknown, file: string): void {
  const counts: Counts = { values: 0, steps: 0 };
  visit(document, 0, counts, (message) => {
    throw new PlanError(file, [{ code: "PLAN_TOO_LARGE", step: "", message, origin: file }]);
  });
}

function visit(value: unknown, depth: number, counts: Counts, refuse: (message: string) => never): void {
  if (++counts.values > MAX_VALUES) refuse(`has more than ${MAX_VALUES} values. Split it into child workflows.`);
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep. Nest it less.`);
  const fields = Object.entries(value);
  if (!Array.isArray(value)) checkNames(fields, refuse);
  for (const [name, part] of fields) {
    if (STEP_LISTS.has(name) && Array.isArray(part)) counts.steps += part.length;
    if (counts.steps > MAX_STEPS) refuse(`has more than ${MAX_STEPS} steps. Split it into child workflows.`);
    visit(part, depth + 1, counts, refuse);
  }
}

function checkNames(fields: readonly (readonly [string, unknown])[], refuse: (message: string) => never): void {
  if (fields.length > MAX_FIELDS) refuse(`has an object with ${fields.length} fields. The limit is ${MAX_FIELDS}.`);
  const long = fields.find(([name]) => name.length > MAX_NAME);
  if (long !== undefined)
    refuse(`has a name with ${long[0].length} characters. The limit is ${MAX_NAME}: ${long[0].slice(0, 40)}…`);
}
