/**
 * The types of the builder: the data that a closure may read, and the output of a step. Two rules shape them:
 *  1. TypeScript infers a callback's parameters from the arguments to its left.
 *  2. Everything that callers of a workflow see must be in the header or in the builder's return type.
 */
import type {
  ArtifactRef,
  CompensateOn,
  Json,
  JsonObject,
  Partition,
  Partitions,
  RunError,
  Visibility,
} from "@runledger/contracts";
import type { DefinitionDatasets, Duration } from "@runledger/core";
import type { StepTools, TextOrReference, TextOrSecret } from "./step-tools.js";
import type { AnySchema, Schema, SchemaIn, SchemaOut } from "./schema.js";
import type { NotJson, Returns, Serializable } from "./serializable.js";

declare const out: unique symbol;
/** A reference to a step. Opaque: read its output through `needs`. */
export interface Handle<out Out> {
  readonly id: string;
  readonly [out]: () => Out;
}

/** The outputs of a forEach for its dependents: ordered by item, fetched page by page (C4). */
export interface Items<out Out> extends AsyncIterable<Out> {
  readonly count: number;
  toArray(): Promise<Out[]>;
}

export type AnyHandle = Handle<unknown>;
export type Handles = Readonly<Record<string, AnyHandle>>;
export type OutputOf<H> = H extends Handle<infer O> ? O : never;
export type NeededOutputs<N extends Handles> = { readonly [K in keyof N]: OutputOf<N[K]> };
/** Empty, so that nothing can be read from it. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- it is meant to be empty
export type None = Record<never, never>;

/** The data that every closure may read. */
export type ReadContext<E extends Env, N extends Handles> = Readonly<E["extra"]> & {
  /** The run's input, parsed by the schema of the header. */
  readonly input: E["input"];
  /** The run's state when the step starts. Frozen: change it with `patch`. */
  readonly state: E["state"];
  /** The outputs of the steps in the option `needs`, by name. */
  readonly needs: NeededOutputs<N>;
  /** The schedule and tick that started the run; `undefined` if no schedule did. The tick is not the current time. */
  readonly schedule: { readonly scheduleId: string; readonly tick: string } | undefined;
  /** The partition that the run is of: its key, and the times of a day or an hour. `undefined` if it is of none. */
  readonly partition: Partition | undefined;
};

/** The additional context of a step's handler. */
export type Context<E extends Env, N extends Handles> = ReadContext<E, N> &
  StepTools & {
    /** The id of the run. */
    readonly runId: string;
    /** The id of the step, with the containers around it, such as `tables/3/analyze`. */
    readonly stepId: string;
    /** The attempt of the step, from 1. */
    readonly attempt: number;
    /** Shared by all attempts until an operator resets the step, so that a timeout does not charge twice (D6). */
    readonly idempotencyKey: string;
    /** Different for every attempt. */
    readonly attemptKey: string;
    /** Aborted when the step times out, the run is cancelled, or the worker loses the run. */
    readonly signal: AbortSignal;
    /** Merges into the run's state when the step completes; `null` deletes a property (RFC 7396). */
    readonly patch: (patch: MergePatch<E["state"]>) => void;
    /** Requests a checkpoint when the step completes. */
    readonly checkpoint: () => void;
  };

/** A patch of the state (RFC 7396). */
export type MergePatch<S> = S extends readonly unknown[]
  ? S
  : S extends object
    ? { [K in keyof S]?: MergePatch<S[K]> | null }
    : S;

/** The types that a builder carries: input, state, signals, and `item` or `iteration` inside containers. */
export interface Env {
  readonly input: unknown;
  readonly state: unknown;
  readonly signals: Readonly<Record<string, AnySchema>>;
  readonly extra: object;
}
/** Adds what a closure inside a container may also read. */
export type WithExtra<E extends Env, X extends object> = Omit<E, "extra"> & {
  readonly extra: Omit<E["extra"], keyof X> & X;
};

export interface StepOptions<N extends Handles> {
  /** Steps whose outputs this step reads. It starts when they have completed. */
  readonly needs?: N;
  /** Steps that must complete first, although this step reads nothing from them. */
  readonly after?: readonly AnyHandle[];
  /** Aborts an attempt after this time. The step then fails with `TIMEOUT`, and `retry` applies. Default: no limit. */
  readonly timeout?: Duration;
}

export interface Retry {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  /** Delay before the second attempt. Default: one second. */
  readonly delay?: Duration;
  /** Multiplies the delay after each attempt. Default 2. */
  readonly factor?: number;
  /** Upper bound of the delay. Default: five minutes. */
  readonly maxDelay?: Duration;
  /** Error codes that are not retried. */
  readonly unless?: readonly string[];
}

export interface AttemptOptions {
  /** Repeats failed attempts. Default: one attempt. */
  readonly retry?: Retry;
  /** Lets the run continue if the step fails. Dependents then read `undefined`. */
  readonly continueOnFailure?: boolean;
}

export interface DatasetOptions {
  /**
   * Datasets that the step reads and writes, `{ reads, writes }`: names, or `{ name, namespace }`. A written one can have a `freshFor`, such as
   * `"1h"`: it is stale if its last write is older.
   */
  readonly datasets?: DefinitionDatasets;
}

/** With continueOnFailure, dependents run even if the step fails, and may read `undefined`. */
export type OptionalOutput<O, C> = C extends true ? O | undefined : O;
/** The result of a step with `settle`: its output or its error. */
export type Settled<O> =
  { readonly ok: true; readonly value: O } | { readonly ok: false; readonly error: Pick<RunError, "code" | "message"> };

export interface SettleOption<S extends boolean> {
  /** Lets dependents run even if the step fails. They read `{ ok: true, value }` or `{ ok: false, error }`. */
  readonly settle?: S;
}

/** The output as dependents read it. */
export type Outcome<O, S> = S extends true ? Settled<O> : O;

/** A step without a result has the output `null`. */
export type OutputOrNull<O> = O extends void | undefined ? null : O;

export interface Builder<E extends Env> {
  /** Runs a function. Its result is recorded, and read by other steps through `needs`. */
  step<O>(id: string, run: (ctx: Context<E, None>) => Returns<O>): Handle<OutputOrNull<O>>;
  step<O, N extends Handles = None, const C extends boolean = false, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> & AttemptOptions & DatasetOptions & SettleOption<S> & { readonly continueOnFailure?: C },
    run: (ctx: Context<E, N>) => Returns<O>,
    undo?: {
      /** Undoes the effect of the completed step. It also reads `output`, the output of the step. */
      readonly compensate: (ctx: Context<E, N> & { readonly output: O }) => void | Promise<void>;
    },
  ): Handle<Outcome<OptionalOutput<OutputOrNull<O>, C>, S>>;

  /** Runs a program without a shell. Its output is the step's log. */
  command<N extends Handles = None, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      AttemptOptions &
      DatasetOptions &
      SettleOption<S> & {
        /** The program and its arguments, or a function that returns them. */
        readonly run: readonly [string, ...string[]] | ((ctx: ReadContext<E, N>) => readonly [string, ...string[]]);
        /** Working directory of the program. Default: that of the worker. */
        readonly cwd?: string;
        /** Variables of the program, besides `PATH`, `HOME`, `LANG` and the run's ids. */
        readonly env?: Readonly<Record<string, TextOrSecret>>;
      },
  ): Handle<Outcome<{ exitCode: number; log: ArtifactRef }, S>>;

  /** Runs one statement on a PostgreSQL of the worker's `connections`. */
  sql<N extends Handles = None, R extends AnySchema = Schema<Record<string, Json>>, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      AttemptOptions &
      DatasetOptions &
      SettleOption<S> & {
        /** Name of the connection. Default: `default`. */
        readonly connection?: string;
        /** The statement, with parameters `$1`, `$2` and so on. */
        readonly text: string;
        /** Returns the values of the parameters. */
        readonly params?: (ctx: ReadContext<E, N>) => readonly Json[];
        /** Schema of a row of the result. */
        readonly row?: R;
      },
  ): Handle<Outcome<readonly SchemaOut<R>[], S>>;

  /** Sends an HTTP request. A status of 400 or more fails the step. */
  http<N extends Handles = None, B extends AnySchema = Schema<Json>, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      AttemptOptions &
      DatasetOptions &
      SettleOption<S> & {
        /** Returns the request. */
        readonly request: (ctx: ReadContext<E, N>) => {
          /** Default: `GET`, or `POST` if there is a body. */
          readonly method?: string;
          /** The address. */
          readonly url: string;
          /** Headers. A value can be a reference that `secret()` made. */
          readonly headers?: Readonly<Record<string, TextOrReference>>;
          /** The body, sent as JSON. */
          readonly body?: Json;
        };
        /** Schema of the response's body. */
        readonly body?: B;
      },
  ): Handle<Outcome<{ status: number; headers: Readonly<Record<string, string>>; body: SchemaOut<B> }, S>>;

  /** A step of a custom kind that a worker's `runners` execute. `with` holds the runner's settings. */
  task<N extends Handles = None, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      AttemptOptions &
      DatasetOptions &
      SettleOption<S> & {
        /** Name of the runner in the worker's `runners`. */
        readonly kind: string;
        /** Settings for the runner, or a function that returns them. */
        readonly with?: JsonObject | ((ctx: ReadContext<E, N>) => JsonObject);
      },
  ): Handle<Outcome<Json, S>>;

  /** Runs one of two branches. The branch that is not taken is skipped. */
  when<A, N extends Handles = None, B = null, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      SettleOption<S> & {
        /** Decides once; the decision is recorded. */
        readonly if: (ctx: ReadContext<E, N>) => boolean | Promise<boolean>;
      },
    then: (w: Builder<E>) => Handle<A>,
    otherwise?: (w: Builder<E>) => Handle<B>,
  ): Handle<Outcome<A | B, S>>;

  /** Runs a body for each item. Dependents read the outputs in the order of the items. */
  forEach<I, O, N extends Handles = None, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      SettleOption<S> & {
        /** Returns the items; they are recorded once. */
        readonly items: (ctx: ReadContext<E, N>) => Returns<readonly I[]>;
        /** Maximum number of items in progress. Default 100. */
        readonly concurrency?: number;
      },
    body: (w: Builder<WithExtra<E, { item: I; index: number }>>) => Handle<O>,
  ): Handle<Outcome<Items<O>, S>>;

  /** Runs a body until a condition holds. Its output is that of the last iteration. */
  repeat<O, N extends Handles = None, const S extends boolean = false>(
    id: string,
    options: StepOptions<N> &
      SettleOption<S> & {
        /** Maximum number of iterations. The step fails if the condition does not hold after them. */
        readonly max: number;
        /** Pause between two iterations. Default: none. */
        readonly delay?: Duration;
      },
    body: (w: Builder<WithExtra<E, { iteration: number }>>) => Handle<O>,
    until: (
      ctx: ReadContext<WithExtra<E, { iteration: number }>, N> & { readonly output: O },
    ) => boolean | Promise<boolean>,
  ): Handle<Outcome<O, S>>;

  /**
   * Waits for a signal, for days if needed and without a process. Its output is the signal's payload.
   * The schema comes from the header's `signals` (typed for sender and reader) or from here (typed for the reader only).
   * `id` names the step if the signal's name cannot: for two waits on one name, or a wait inside a container.
   */
  waitForSignal<
    const K extends string,
    S extends AnySchema = K extends keyof E["signals"] ? E["signals"][K] : Schema<Json>,
    const T extends "fail" | "continue" = "fail",
  >(
    name: K,
    options?: {
      /** Id of the step. Default: the signal's name. */
      readonly id?: string;
      /** Steps that must complete before the wait starts. */
      readonly after?: readonly AnyHandle[];
      /** Schema of the payload, if the header declares none. */
      readonly schema?: S;
      /** Limits the wait. Default: no limit. */
      readonly timeout?: Duration;
      /** `fail` (default) fails the step with `TIMEOUT`; `continue` completes it with `null`. */
      readonly onTimeout?: T;
    },
  ): Handle<SchemaOut<S> | (T extends "continue" ? null : never)>;

  /** Sleeps for a time, or until a time, without a process. */
  sleep<N extends Handles = None>(
    id: string,
    options: StepOptions<N> &
      (
        | {
            /** How long to sleep. */
            readonly for: Duration;
          }
        | {
            /** Returns the time to sleep until, as ISO 8601. */
            readonly until: (ctx: ReadContext<E, N>) => string;
          }
      ),
  ): Handle<null>;

  /** Runs another workflow as a separate run and waits for its result. A cancel of the run cancels it, too. */
  child<W extends AnyWorkflow, N extends Handles = None, const S extends boolean = false>(
    id: string,
    workflow: W,
    ...rest: undefined extends InputOf<W>
      ? [
          options?: StepOptions<N> &
            AttemptOptions &
            SettleOption<S> & { readonly input?: (ctx: ReadContext<E, N>) => InputOf<W> },
        ]
      : [
          options: StepOptions<N> &
            AttemptOptions &
            SettleOption<S> & {
              /** Returns the input of the child. Optional if the child needs none. */
              readonly input: (ctx: ReadContext<E, N>) => InputOf<W>;
            },
        ]
  ): Handle<Outcome<ResultOf<W>, S>>;
}

/** The builder of a workflow. The builder of a container has no `onFailure`. */
export interface WorkflowBuilder<E extends Env> extends Builder<E> {
  /**
   * Runs once before the run fails, after compensations. It can change neither the outcome nor the error of the run. If
   * it throws, the run still fails with its own error.
   */
  onFailure(run: (ctx: Context<E, None> & FailureContext) => void | Promise<void>): void;
  onFailure(options: FailureOptions, run: (ctx: Context<E, None> & FailureContext) => void | Promise<void>): void;
}

export interface FailureOptions {
  /** Repeats failed attempts of the handler. Default: one attempt. */
  readonly retry?: Retry;
  /** Aborts an attempt of the handler after this time. */
  readonly timeout?: Duration;
}

export interface FailureContext {
  /** The error of the run. */
  readonly error: Pick<RunError, "code" | "message">;
  /** The step that failed first. `undefined` if the deadline expired. */
  readonly culprit: string | undefined;
}

declare const types: unique symbol;
export interface Workflow<in In, out Out, Sig> {
  readonly id: string;
  readonly version: string;
  readonly [types]: { in: (value: In) => void; out: () => Out; signals: () => Sig };
}
export type AnyWorkflow = Workflow<never, unknown, unknown>;
export type InputOf<W> = W extends Workflow<infer I, unknown, unknown> ? I : never;
export type ResultOf<W> = W extends Workflow<never, infer O, unknown> ? O : never;
export type SignalsOf<W> = W extends Workflow<never, unknown, infer S> ? S : never;

/** A schema whose *parsed* value survives JSON, because RunQueued records it. */
export type JsonSchemaOnly<S> = S extends AnySchema
  ? SchemaOut<S> extends Serializable<SchemaOut<S>>
    ? S
    : Schema<SchemaIn<S>, Serializable<SchemaOut<S>>>
  : S;
/** The output of a workflow, which is that of its last step. */
export type WorkflowOutput<O> =
  O extends Items<unknown> ? NotJson<"the output of a forEach, return a step that reads it"> : O;

export interface WorkflowHeader<
  In extends AnySchema,
  Sig extends Readonly<Record<string, AnySchema>>,
  St extends AnySchema,
> {
  /** Version of the workflow. Set it before you deploy. Default: a hash of the content, so that every change is a version. */
  readonly version?: string;
  /** Schema of the run's input (zod, Valibot, ArkType or another Standard Schema). Default: no input. */
  readonly input?: In & JsonSchemaOnly<In>;
  /** Schemas of signals by name. Signals that are not declared are refused. */
  readonly signals?: Sig;
  /** Schema and initial value of the run's state, which steps change with `patch`. */
  readonly state?: {
    /** Schema of the state. */
    readonly schema: St;
    /** The state of a new run. */
    readonly initial: SchemaOut<St>;
  };
  /** The run fails this time after its start, unless it has finished. Default: no deadline. */
  readonly deadline?: Duration;
  /** Requires an operator's approval before the run starts. */
  readonly approval?: boolean;
  /**
   * When steps with `compensate` are undone, last one first. Defaults to `["cancel"]`, because a retry of a failed run
   * needs what succeeded. Both values include an expired deadline.
   */
  readonly compensateOn?: readonly CompensateOn[];
  /**
   * Partitions the workflow: `{ by: "day", start: "2026-01-01" }`, `{ by: "hour", start }` or `{ by: "key", keys: [...] }`.
   * A run of a partition has its key in the label `partition`, and its steps read it as `partition`. Default: no partitions.
   */
  readonly partitions?: Partitions;
  /** Tenants that see the workflow and may start it: `{ tenants: ["acme"] }`. Defaults to `"shared"`, which is all tenants. */
  readonly visibility?: Visibility;
}

export type DefineWorkflow = <
  O,
  In extends AnySchema = Schema<undefined>,
  const Sig extends Readonly<Record<string, AnySchema>> = None,
  St extends AnySchema = Schema<Record<string, never>>,
>(
  id: string,
  header: WorkflowHeader<In, Sig, St>,
  build: (
    w: WorkflowBuilder<{ input: SchemaOut<In>; state: SchemaOut<St>; signals: Sig; extra: None }>,
  ) => (Handle<O> & Handle<WorkflowOutput<O>>) | void,
) => Workflow<SchemaIn<In>, unknown extends O ? null : O, { readonly [K in keyof Sig]: SchemaIn<Sig[K]> }>;
