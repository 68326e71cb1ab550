import type { Json } from "@runledger/contracts";

/** `"10m"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** A step named by its path, or one that belongs to another workflow and is refused by name. */
export type StepRef = string | { readonly workflow: string; readonly path: string };

/** Where something was written, where that was a file: `file:line:column`, and the same by option (`after[0]`). */
export interface Origin {
  readonly origin?: string;
  readonly origins?: Readonly<Record<string, string>>;
}

/** What a person wrote, by builder, YAML or JSON, before it is checked. */
export interface Definition extends Origin {
  readonly id: string;
  /** Absent = the content's hash, as in development (D7). */
  readonly version?: string;
  readonly deadline?: Duration;
  readonly approval?: boolean;
  readonly body: DefinitionBody;
}

export interface DefinitionBody extends Origin {
  readonly steps: readonly DefinitionStep[];
  readonly output?: StepRef;
}

export interface DefinitionRetry {
  readonly attempts: number;
  /** Before the second attempt. Default one second. */
  readonly delay?: Duration;
  /** What each further delay is multiplied with. Default 2. */
  readonly factor?: number;
  /** Default five minutes. */
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
  readonly compensate?: boolean;
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
