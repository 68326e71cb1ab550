/**
 * The arguments of `ledger.start`. The current form is one object: `start(workflow, { input, requestId })`. The deprecated
 * form is `start(workflow, input, options)`.
 *
 * With one argument after the workflow, both forms may be an object. The rule is:
 *  1. An object whose keys are all names of start options is the current form. Anything else is an input.
 *  2. If the workflow's schema refuses that object's `input` but accepts the object itself, it is an input.
 * TypeScript selects the same overload. An input that only has keys such as `input` or `labels`, in a workflow whose
 * schema accepts both readings, must be passed in the current form.
 */
import { InputError } from "@runledger/contracts";
import type { InputOf } from "../workflow/types.js";
import type { StartOptions } from "./start-run.js";

export type StartParams<W> = StartOptions &
  (undefined extends InputOf<W> ? { readonly input?: InputOf<W> } : { readonly input: InputOf<W> });

/** The arguments after the workflow. They may be left out if the workflow needs no input. */
export type StartArguments<W> = undefined extends InputOf<W> ? [params?: StartParams<W>] : [params: StartParams<W>];

/** The arguments of the deprecated form. */
export type PositionalStartArguments<W> =
  undefined extends InputOf<W>
    ? [input?: InputOf<W>, options?: StartOptions]
    : [input: InputOf<W>, options?: StartOptions];

export interface StartRequest {
  readonly input: unknown;
  readonly options: StartOptions;
}

const KEYS: Readonly<Record<keyof StartOptions | "input", true>> = {
  input: true,
  requestId: true,
  tenantId: true,
  projectId: true,
  environmentId: true,
  priority: true,
  concurrencyKey: true,
  startAt: true,
  dedupe: true,
  labels: true,
  trace: true,
  by: true,
  runId: true,
};

/** Calls `start` with the request that the arguments mean. `start` must refuse an invalid input before it writes. */
export async function startWith<T>(args: readonly unknown[], start: (request: StartRequest) => Promise<T>): Promise<T> {
  const [first, options] = args;
  if (args.length > 1 || !isObject(first)) return start({ input: first, options: options ?? {} });
  const unknown = Object.keys(first).filter((key) => !Object.hasOwn(KEYS, key));
  const { input, ...rest } = first;
  const current = { input, options: rest as StartOptions };
  const positional = { input: first, options: {} };
  if (unknown.length === 0) return start(current).catch(orElse(() => start(positional)));
  return start(positional).catch((error: unknown) => {
    if (isMismatch(error) && "input" in first) throw unknownOptions(unknown);
    throw error;
  });
}

/** If the input does not match the schema, tries the other reading. If that does not match either, the error stays. */
function orElse<T>(other: () => Promise<T>): (error: unknown) => Promise<T> {
  return async (error) => {
    if (!isMismatch(error)) throw error;
    return other().catch((second: unknown) => {
      throw isMismatch(second) ? error : second;
    });
  };
}

function isMismatch(error: unknown): boolean {
  return error instanceof InputError && error.code === "SCHEMA_MISMATCH";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownOptions(names: readonly string[]): InputError {
  const known = Object.keys(KEYS).join(", ");
  return new InputError("OPTION_INVALID", names[0]!, `is not an option of start. The options are ${known}.`);
}
