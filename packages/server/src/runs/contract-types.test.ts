// @module-tag N-32
/**
 * The client uses the types of the contracts for these schemas (packages/client/generate-types.ts), so both must have the
 * same fields, and what a store returns must fit the schema.
 */
import type {
  ArtifactRef,
  CanonicalEngineEvent,
  Limit,
  RunCounts,
  RunError,
  RunHeader,
  RunSummary,
  StepRow,
} from "@runledger/contracts";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { limit } from "../limits/limit.js";
import type { event } from "./event-schema.js";
import type { artifactRef, run, runError } from "./run-schema.js";
import type { runCounts, runSummary } from "./run-summary.js";
import type { step } from "./step-schema.js";

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Fields<S extends z.ZodType> = keyof z.output<S>;
type Value<S extends z.ZodType> = DeepReadonly<z.output<S>>;

test("schemas and contracts have the same fields", () => {
  expectTypeOf<Fields<typeof run>>().toEqualTypeOf<keyof RunHeader>();
  expectTypeOf<Fields<typeof step>>().toEqualTypeOf<keyof StepRow>();
  expectTypeOf<Fields<typeof event>>().toEqualTypeOf<keyof CanonicalEngineEvent>();
  expectTypeOf<Fields<typeof runSummary>>().toEqualTypeOf<keyof RunSummary>();
  expectTypeOf<Fields<typeof runError>>().toEqualTypeOf<keyof RunError>();
  expectTypeOf<Fields<typeof artifactRef>>().toEqualTypeOf<keyof ArtifactRef>();
  expectTypeOf<Fields<typeof limit>>().toEqualTypeOf<keyof Limit>();
});

test("values of the contracts fit the schemas", () => {
  expectTypeOf<RunHeader>().toExtend<Value<typeof run>>();
  // In the API, `opened` is any object.
  expectTypeOf<Omit<StepRow, "opened">>().toExtend<Omit<Value<typeof step>, "opened">>();
  expectTypeOf<CanonicalEngineEvent>().toExtend<Value<typeof event>>();
  expectTypeOf<RunSummary>().toExtend<Value<typeof runSummary>>();
  expectTypeOf<RunError>().toExtend<Value<typeof runError>>();
  expectTypeOf<ArtifactRef>().toExtend<Value<typeof artifactRef>>();
  expectTypeOf<RunCounts>().toExtend<Value<typeof runCounts>>();
  expectTypeOf<Limit>().toExtend<Value<typeof limit>>();
});
