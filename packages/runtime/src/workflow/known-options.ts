/** Refuses options that do not exist. TypeScript reports them, but JavaScript would silently ignore a misspelled one. */
import { PlanError, type Visibility } from "@runledger/contracts";
import type { AnySchema } from "./schema.js";
import type { AttemptOptions, StepOptions, WorkflowHeader } from "./types.js";

/** Records, so that the compiler reports an option that is missing here. */
const COMMON: Readonly<Record<keyof (StepOptions<never> & AttemptOptions) | "settle", true>> = {
  needs: true,
  after: true,
  timeout: true,
  retry: true,
  continueOnFailure: true,
  settle: true,
};

const HEADER: Readonly<Record<keyof WorkflowHeader<AnySchema, Record<string, AnySchema>, AnySchema>, true>> = {
  version: true,
  deadline: true,
  approval: true,
  compensateOn: true,
  partitions: true,
  input: true,
  signals: true,
  state: true,
  visibility: true,
};

/** Kinds that a runner executes, and that may use datasets. */
const WORK = ["function", "command", "sql", "http", "task"];

const OWN: Readonly<Record<string, readonly string[]>> = {
  function: [],
  command: ["run", "cwd", "env"],
  sql: ["connection", "text", "params", "row"],
  http: ["request", "body"],
  task: ["kind", "with"],
  when: ["if"],
  forEach: ["items", "concurrency"],
  repeat: ["max", "delay"],
  wait: ["id", "schema", "onTimeout"],
  sleep: ["for", "until"],
  child: ["input"],
};

/** `kind` is a kind of the builder. Custom kinds are `task`. */
export function checkStepOptions(workflowId: string, step: string, kind: string, options: object): void {
  const own = OWN[kind] ?? OWN["task"]!;
  const more = OWN[kind] === undefined || WORK.includes(kind) ? ["datasets"] : [];
  refuseUnknown({ workflowId, step }, options, [...Object.keys(COMMON), ...own, ...more]);
}

export function checkHeader(workflowId: string, header: object): void {
  refuseUnknown({ workflowId, step: "" }, header, Object.keys(HEADER));
  const { visibility = "shared" } = header as { readonly visibility?: Visibility };
  if (visibility === "shared" || isTenantList(visibility.tenants)) return;
  const message = 'visibility must be "shared", or { tenants: [...] } with at least one tenant.';
  throw new PlanError(workflowId, [{ code: "PLAN_OPTION_INVALID", step: "", message }]);
}

function isTenantList(tenants: unknown): boolean {
  return Array.isArray(tenants) && tenants.length > 0 && tenants.every((one) => typeof one === "string" && one !== "");
}

function refuseUnknown(at: { workflowId: string; step: string }, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `"${unknown}" is not an option here. Remove or correct it; the options are ${known.join(", ")}.`;
  throw new PlanError(at.workflowId, [{ code: "PLAN_OPTION_INVALID", step: at.step, message }]);
}
