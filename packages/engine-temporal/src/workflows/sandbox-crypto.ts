/**
 * Workflows have no `crypto`. Temporal makes `Math.random` and `uuid4` repeatable, and the ids that the workflow draws never
 * leave it: activities make the events that are stored.
 */
import { uuid4 } from "@temporalio/workflow";

const getRandomValues = (bytes: Uint8Array): Uint8Array => bytes.map(() => Math.floor(Math.random() * 256));

export function provideCrypto(): void {
  Object.assign(globalThis, { crypto: { randomUUID: uuid4, getRandomValues } });
}
