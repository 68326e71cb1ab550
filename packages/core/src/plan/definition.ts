import type { CompensateOn, Json, Partitions } from "@runledger/contracts";
import type { DefinitionDatasets } from "./definition-datasets.js";

/** A number and a unit, such as `"10m"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** A step by its path, or a step of another workflow, which the compiler refuses by name. */
export type StepRef = string | { readonly workflow: string; readonly path: string };

/** The position in the source file, `file:line:column`, and the positions of options such as `after[0]`. */
export interface Origin {
  readonly origin?: string;
  readonly origins?: Readonly<Record<string, string>>;
}

/** A workflow as written with the builder, in YAML or in JSON, before it is checked. */
export interface Definition extends Origin {
  readonly id: string;
  /** Defaults to a version derived from the content's hash, for development (D7). */
  readonly version?: string;
  readonly deadline?: Duration;
  readonly approval?: boolean;
  readonly compensateOn?: readonly CompensateOn[];
  readonly partitions?: Partitions;
  readonly onFailure?: DefinitionStep;
  readonly body: DefinitionBody;
}

export interface DefinitionBody extends Origin {
  readonly steps: readonly DefinitionStep[];
  readonly output?: StepRef;
}

export interface DefinitionRetry {
  readonly attempts: number;
  /** Delay before the second attempt. Defaults to one second. */
  readonly delay?: Duration;
  /** Factor by which each further delay grows. Defaults to 2. */
  readonly factor?: number;
  /** Defaults to five minutes. */
  readonly maxDelay?: Duration;
  readonly unless?: readonly string[];
}

export interface DefinitionStep extends Origin {
  readonly id: string;
  readonly kind: string;
  readonly needs?: Readonly<Record<string, StepRef>>;
  readonly after?: readonly StepRef[];
  readonly retry?: DefinitionRetry;
  readonly timeout?: Duration;
  readonly continueOnFailure?: boolean;
  readonly settle?: boolean;
  readonly compensate?: boolean;
  readonly compensateWith?: { readonly kind: string; readonly options?: Json };
  readonly datasets?: DefinitionDatasets;
  readonly options?: Json;
  readonly bodies?: readonly DefinitionBody[];
  readonly concurrency?: number;
  readonly max?: number;
  readonly delay?: Duration;
  readonly signal?: string;
  readonly onTimeout?: "fail" | "continue";
  readonly for?: Duration;
  readonly child?: { readonly planId: string; readonly planVersion: string };
}
