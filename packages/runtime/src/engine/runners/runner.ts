import type {
  ArtifactRef,
  DatasetUses,
  InnerStep,
  Json,
  JsonObject,
  PlanStep,
  RunError,
  StepRow,
  TraceContext,
} from "@runledger/contracts";
import type { Closures } from "../../workflow/compiled-workflow.js";
import { markLiteral } from "../../workflow/secret-reference.js";
import type { ArtifactSource } from "../../workflow/step-tools.js";
import type { StepContext } from "../step-context.js";
import type { StepLog } from "../step-log.js";

/**
 * Records steps inside a step that only its runner knows, such as the nodes of a dbt project (D11). Each is named by the
 * runner and recorded at once. Another attempt of the step reads them and repeats only what is missing.
 */
export interface InnerSteps {
  /** Number of inner steps that earlier attempts have recorded. */
  readonly recordedCount: number;
  /** Returns an inner step as earlier attempts recorded it. */
  recorded(name: string): StepRow | undefined;
  /** Returns its id, `container/name`. */
  idOf(name: string): string;
  /** Records its start. `after` has the names of the inner steps that it depends on. */
  start(name: string, step: InnerStep): void;
  complete(name: string, output: Json, artifacts?: readonly ArtifactRef[], datasets?: DatasetUses): void;
  fail(name: string, error: RunError, artifacts?: readonly ArtifactRef[]): void;
  /** `culprit` is the inner step whose failure prevents this one from running. Absent if there is none. */
  skip(name: string, culprit?: string): void;
  /** Stores an artifact of a started inner step. Returns nothing if the store keeps no artifacts. */
  write(name: string, kind: string, body: ArtifactSource): Promise<readonly ArtifactRef[]>;
  /** Names the inner step because of which the step fails. */
  blame(name: string): void;
}

/** One attempt of a step, as a custom runner gets it. */
export interface Task {
  readonly step: PlanStep;
  /** The step's `with`. If it is a function, its result. */
  readonly options: JsonObject;
  /** The tools and data that a step's handler gets. */
  readonly context: StepContext;
  /** Records steps that only the runner knows. Absent if the task compensates a step. */
  readonly inner?: InnerSteps;
}

/**
 * Does the work of one kind of step. Returns a `StepOutput`, or only the output if the step succeeded. A runner that throws
 * has failed.
 */
export interface Runner {
  (task: Task): Promise<unknown>;
  /** `true` if it stops its work when `context.signal` is aborted. The worker then waits for it. */
  readonly stopsOnAbort?: boolean;
}

/** One attempt of a step, as built-in runners get it. */
export interface BuiltInTask extends Omit<Task, "options"> {
  readonly closures: Closures;
  /** Receives the lines that a program prints. */
  readonly log: StepLog;
  /** The tenant of the run. Default: `default`. */
  readonly tenantId?: string;
  /** `true` if the workflow was published over HTTP. */
  readonly isPublished?: boolean;
  /** The trace that the step passes on. Absent if the run belongs to none. */
  readonly trace?: TraceContext;
  /** Throws if the step may not call this URL, including one it was redirected to. */
  readonly checkUrl?: (url: URL) => void;
}

/** Returns the output of a step that succeeded. `Runners` makes a `StepOutput` of it (D10). */
export type BuiltInRunner = (task: BuiltInTask) => Promise<unknown>;

/**
 * Returns the options of the plan, overridden by those that the step's closure returns. A closure may return an array
 * instead of an object: it is the value of the option `main`.
 */
export async function readOptions<Options extends object>(
  { step, closures, context }: BuiltInTask,
  main: string,
): Promise<Options> {
  const answer = await closures.options?.(context as never);
  const computed = Array.isArray(answer) ? { [main]: answer } : (answer as object | undefined);
  return { ...markReferences((step.options ?? {}) as JsonObject), ...computed } as Options;
}

/** The options that can refer to secrets. */
const SETTINGS = ["env", "headers"];

/** References in a plan are literals of its author, so they are resolved (S1). */
function markReferences(options: JsonObject): object {
  const marked = SETTINGS.filter((name) => isObject(options[name])).map((name) => {
    const entries = Object.entries(options[name] as JsonObject);
    return [name, Object.fromEntries(entries.map(([key, value]) => [key, markLiteral(value)]))] as const;
  });
  return { ...options, ...Object.fromEntries(marked) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
