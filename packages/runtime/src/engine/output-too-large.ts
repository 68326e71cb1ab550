import { MAX_EVENT_BYTES, type JsonObject } from "@runledger/contracts";
import { MAX_OUTPUT_BYTES } from "../artifacts/output-artifact.js";

/** Explains a step that returned, or patched, more than an event can hold. */
export function outputTooLarge(data: JsonObject): string {
  const [outputBytes, patchBytes] = [bytesOf(data["output"]), bytesOf(data["patch"])];
  const limit = `the limit is ${kilobytes(MAX_EVENT_BYTES)}`;
  if (patchBytes > outputBytes)
    return `The patch of the state is ${kilobytes(patchBytes)}, ${limit}. Keep large values in an artifact.`;
  const advice = `Store it as an artifact: return await artifact.write("rows", text)`;
  if (outputBytes > MAX_OUTPUT_BYTES)
    return `The output is ${kilobytes(outputBytes)}, the limit is ${kilobytes(MAX_OUTPUT_BYTES)}. ${advice}`;
  return `The output is ${kilobytes(outputBytes)}, ${limit}. ${advice}`;
}

export function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Rounds up, so that a size above the limit never looks equal to it. */
export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`;
}
