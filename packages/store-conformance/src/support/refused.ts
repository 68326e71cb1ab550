import assert from "node:assert/strict";
import { errorCodes, type ErrorCode, type RunledgerError } from "@runledger/contracts";

/** Asserts that a call is refused with this code and its family. Returns the error. */
export async function refused<E extends RunledgerError = RunledgerError>(
  call: Promise<unknown>,
  code: ErrorCode,
): Promise<E> {
  const error = await rejection(call);
  assert.equal(error.code, code, `refused with ${error.code ?? String(error)} instead of ${code}: ${error.message}`);
  assert.equal(error.family, errorCodes[code]);
  return error as E;
}

/** Does the same for an input error: the message and `field` must name the fault. */
export async function refusedInput(call: Promise<unknown>, code: ErrorCode, field: string): Promise<void> {
  const error = await refused<RunledgerError & { readonly field: string }>(call, code);
  assert.equal(error.field, field);
  assert.ok(error.message.includes(field), `the message does not name ${field}: ${error.message}`);
}

async function rejection(call: Promise<unknown>): Promise<RunledgerError> {
  try {
    await call;
  } catch (error) {
    return error as RunledgerError;
  }
  assert.fail("the call was accepted");
}
