import { omitUndefined, type JsonObject } from "@runledger/contracts";
import type {
  AttemptOptions,
  Builder,
  DatasetOptions,
  Env,
  Handle,
  Handles,
  None,
  StepOptions,
} from "@runledger/runtime/workflow/types";
import type { DbtOptions } from "./options.js";

/** The output of a `dbt` step. */
export interface DbtOutput {
  /** Number of nodes that the last attempt ran, by status of dbt. */
  readonly nodes: Readonly<Record<string, number>>;
  /** Number of nodes that are done, in all attempts. */
  readonly done: number;
}

/**
 * Adds a step that runs dbt. Each node of the project becomes a step inside it, and another attempt runs only what is missing.
 * @example
 * workflow("shop", { version: "1" }, (w) => dbt(w, "build", { project: "shop", retry: { attempts: 3 } }));
 */
export function dbt<E extends Env, N extends Handles = None>(
  w: Pick<Builder<E>, "task">,
  id: string,
  options: DbtOptions & StepOptions<N> & AttemptOptions & DatasetOptions,
): Handle<DbtOutput> {
  const { needs, after, timeout, retry, continueOnFailure, datasets, ...settings } = options;
  const shared = omitUndefined({ needs, after, timeout, retry, continueOnFailure, datasets });
  return w.task(id, {
    ...shared,
    kind: "dbt",
    with: settings as unknown as JsonObject,
  }) as unknown as Handle<DbtOutput>;
}
