/**
 * The types of the builder (what a closure may read, and what comes out of a step). Two rules shape them:
 *  1. What a callback reads is inferred from arguments to its left.
 *  2. What the caller of a finished workflow sees must be in the header or in the builder's return type.
 */
import type { ArtifactRef, Json, JsonObject } from "@runledger/contracts";
import type { Duration } from "@runledger/core";
import type { StepTools, TextOrSecret } from "../engine/step-tools.js";
import type { AnySchema, Schema, SchemaIn, SchemaOut } from "./schema.js";
import type { NotJson, Returns, Serializable } from "./serializable.js";

declare const out: unique symbol;
/** A step that will have run. Opaque: its output is read through `needs` only. */
export interface Handle<out Out> {
  readonly id: string;
  readonly [out]: () => Out;
}

/** What a dependent reads of a forEach: ordered by item, fetched page by page (C4). */
export interface Items<out Out> extends AsyncIterable<Out> {
  readonly count: number;
  toArray(): Promise<Out[]>;
}

type AnyHandle = Handle<unknown>;
type HandleMap = Readonly<Record<string, AnyHandle>>;
type OutputOf<H> = H extends Handle<infer O> ? O : never;
type Needs<N extends HandleMap> = { readonly [K in keyof N]: OutputOf<N[K]> };
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- nothing in it, and nothing can be read from it
type None = Record<never, never>;

/** What every closure of a plan may read: data only. */
type Read<E extends Env, N extends HandleMap> = Readonly<E["extra"]> & {
  readonly input: E["input"];
  readonly state: E["state"];
  readonly needs: Needs<N>;
  /** The schedule that started the run and the time it is for, which is not the time it is; undefined = none did. */
  readonly schedule: { readonly scheduleId: string; readonly tick: string } | undefined;
};

/** What a step's handler gets on top of it. */
export type Context<E extends Env, N extends HandleMap> = Read<E, N> &
  StepTools & {
    readonly runId: string;
    readonly stepId: string;
    readonly attempt: number;
    /** The same for all attempts until an operator resets the step: a time-out must not charge twice (D6). */
    readonly idempotencyKey: string;
    /** Another for every attempt. */
    readonly attemptKey: string;
    /** Aborted when the step is out of time, the run is cancelled, or the worker lost it. */
    readonly signal: AbortSignal;
    /** Merges into the run's state when the step completes; null deletes (RFC 7396). */
    readonly patch: (patch: DeepPartialNull<E["state"]>) => void;
    /** Asks for a checkpoint with the step's completion. */
    readonly checkpoint: () => void;
  };

type DeepPartialNull<S> = S extends readonly unknown[]
  ? S
  : S extends object
    ? { [K in keyof S]?: DeepPartialNull<S[K]> | null }
    : S;

interface Env {
  readonly input: unknown;
  readonly state: unknown;
  readonly signals: Readonly<Record<string, AnySchema>>;
  readonly extra: object;
}
type With<E extends Env, X extends object> = Omit<E, "extra"> & { readonly extra: Omit<E["extra"], keyof X> & X };

interface Common<N extends HandleMap> {
  readonly needs?: N;
  readonly after?: readonly AnyHandle[];
  readonly timeout?: Duration;
}

export interface Retry {
  readonly attempts: number;
  readonly delay?: Duration;
  readonly factor?: number;
  readonly maxDelay?: Duration;
  readonly unless?: readonly string[];
}

interface Tries {
  readonly retry?: Retry;
  readonly continueOnFailure?: boolean;
}

/** continueOnFailure: dependents run and may find nothing. */
type Maybe<O, C> = C extends true ? O | undefined : O;
type Result<O> = O extends void | undefined ? null : O;

export interface Builder<E extends Env> {
  step<O>(id: string, run: (ctx: Context<E, None>) => Returns<O>): Handle<Result<O>>;
  step<O, N extends HandleMap = None, const C extends boolean = false>(
    id: string,
    options: Common<N> & Tries & { readonly continueOnFailure?: C },
    run: (ctx: Context<E, N>) => Returns<O>,
    undo?: { readonly compensate: (ctx: Context<E, N> & { readonly output: O }) => void | Promise<void> },
  ): Handle<Maybe<Result<O>, C>>;

  command<N extends HandleMap = None>(
    id: string,
    options: Common<N> &
      Tries & {
        readonly run: readonly [string, ...string[]] | ((ctx: Read<E, N>) => readonly [string, ...string[]]);
        readonly cwd?: string;
        readonly env?: Readonly<Record<string, TextOrSecret>>;
      },
  ): Handle<{ exitCode: number; log: ArtifactRef }>;

  sql<N extends HandleMap = None, S extends AnySchema = Schema<Record<string, Json>>>(
    id: string,
    options: Common<N> &
      Tries & {
        readonly connection?: string;
        readonly text: string;
        readonly params?: (ctx: Read<E, N>) => readonly Json[];
        readonly row?: S;
      },
  ): Handle<readonly SchemaOut<S>[]>;

  http<N extends HandleMap = None, S extends AnySchema = Schema<Json>>(
    id: string,
    options: Common<N> &
      Tries & {
        readonly request: (ctx: Read<E, N>) => {
          readonly method?: string;
          readonly url: string;
          readonly headers?: Readonly<Record<string, TextOrSecret>>;
          readonly body?: Json;
        };
        readonly body?: S;
      },
  ): Handle<{ status: number; headers: Readonly<Record<string, string>>; body: SchemaOut<S> }>;

  /** A step of a kind of your own, which a worker's `runners` run; `with` is what the runner is told. */
  task<N extends HandleMap = None>(
    id: string,
    options: Common<N> &
      Tries & { readonly kind: string; readonly with?: JsonObject | ((ctx: Read<E, N>) => JsonObject) },
  ): Handle<Json>;

  when<A, N extends HandleMap = None, B = null>(
    id: string,
    options: Common<N> & { readonly if: (ctx: Read<E, N>) => boolean | Promise<boolean> },
    then: (w: Builder<E>) => Handle<A>,
    otherwise?: (w: Builder<E>) => Handle<B>,
  ): Handle<A | B>;

  forEach<I, O, N extends HandleMap = None>(
    id: string,
    options: Common<N> & {
      readonly items: (ctx: Read<E, N>) => Returns<readonly I[]>;
      /** Items that are under way at a time. Default 100. */
      readonly concurrency?: number;
    },
    body: (w: Builder<With<E, { item: I; index: number }>>) => Handle<O>,
  ): Handle<Items<O>>;

  repeat<O, N extends HandleMap = None>(
    id: string,
    options: Common<N> & { readonly max: number; readonly delay?: Duration },
    body: (w: Builder<With<E, { iteration: number }>>) => Handle<O>,
    until: (ctx: Read<With<E, { iteration: number }>, N> & { readonly output: O }) => boolean | Promise<boolean>,
  ): Handle<O>;

  /**
   * The schema comes from the header's `signals` (typed on both ends) or from here (typed where it is read only).
   * `id` is the step's where it is not the signal's name: two waits for one name, or a wait inside a container.
   */
  waitForSignal<
    const K extends string,
    S extends AnySchema = K extends keyof E["signals"] ? E["signals"][K] : Schema<Json>,
    const T extends "fail" | "continue" = "fail",
  >(
    name: K,
    options?: {
      readonly id?: string;
      readonly after?: readonly AnyHandle[];
      readonly schema?: S;
      readonly timeout?: Duration;
      readonly onTimeout?: T;
    },
  ): Handle<SchemaOut<S> | (T extends "continue" ? null : never)>;

  sleep<N extends HandleMap = None>(
    id: string,
    options: Common<N> & ({ readonly for: Duration } | { readonly until: (ctx: Read<E, N>) => string }),
  ): Handle<null>;

  child<W extends AnyWorkflow, N extends HandleMap = None>(
    id: string,
    workflow: W,
    ...rest: undefined extends InputOf<W>
      ? [options?: Common<N> & Tries & { readonly input?: (ctx: Read<E, N>) => InputOf<W> }]
      : [options: Common<N> & Tries & { readonly input: (ctx: Read<E, N>) => InputOf<W> }]
  ): Handle<ResultOf<W>>;
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

/** A schema whose *parsed* value survives JSON: RunQueued records it. */
type JsonSchemaOnly<S> = S extends AnySchema
  ? SchemaOut<S> extends Serializable<SchemaOut<S>>
    ? S
    : Schema<SchemaIn<S>, Serializable<SchemaOut<S>>>
  : S;
type Returned<O> = O extends Items<unknown> ? NotJson<"the output of a forEach, return a step that reads it"> : O;

interface Header<In extends AnySchema, Sig extends Readonly<Record<string, AnySchema>>, St extends AnySchema> {
  /** Absent = the content's hash: for development. */
  readonly version?: string;
  readonly input?: In & JsonSchemaOnly<In>;
  readonly signals?: Sig;
  readonly state?: { readonly schema: St; readonly initial: SchemaOut<St> };
  readonly deadline?: Duration;
  /** The run waits for an operator's approval before it starts. */
  readonly approval?: boolean;
}

export type DefineWorkflow = <
  O,
  In extends AnySchema = Schema<undefined>,
  const Sig extends Readonly<Record<string, AnySchema>> = None,
  St extends AnySchema = Schema<Record<string, never>>,
>(
  id: string,
  header: Header<In, Sig, St>,
  build: (
    w: Builder<{ input: SchemaOut<In>; state: SchemaOut<St>; signals: Sig; extra: None }>,
  ) => (Handle<O> & Handle<Returned<O>>) | void,
) => Workflow<SchemaIn<In>, unknown extends O ? null : O, { readonly [K in keyof Sig]: SchemaIn<Sig[K]> }>;
