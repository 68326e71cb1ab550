/** Lenient reading of payloads (N3): what is missing or of another shape is absent, never a crash of the fold. */
import type { ArtifactRef, CanonicalEngineEvent, Json, JsonObject, RunError } from "@runledger/contracts";
import { isObject } from "./merge-patch.js";

const NOTHING: JsonObject = {};

export function dataOf(event: CanonicalEngineEvent): JsonObject {
  return isObject(event.eventData) ? event.eventData : NOTHING;
}

/** `{ [name]: value }` where it is text, else nothing: ready to be spread. */
export function text<K extends string>(name: K, value: Json | undefined): { readonly [P in K]?: string } {
  return (typeof value === "string" ? { [name]: value } : NOTHING) as { [P in K]?: string };
}

export function artifactsOf(data: JsonObject): readonly ArtifactRef[] {
  const artifacts: unknown = data["artifacts"];
  return Array.isArray(artifacts) ? (artifacts as readonly ArtifactRef[]) : [];
}

export function errorOf(data: JsonObject): RunError {
  const error = isObject(data["error"]) ? data["error"] : NOTHING;
  const { code, message, retryable } = error;
  return {
    code: typeof code === "string" ? code : "UNKNOWN",
    message: typeof message === "string" ? message : "",
    retryable: retryable === true,
  };
}
