// @module-tag B-33
/** An encrypted store keeps every promise of the store inside it, except that it does not find runs by encrypted texts. */
import { stateStoreConformance, type TestBody } from "@runledger/store-conformance";
import { MemoryStore } from "@runledger/store-memory";
import { describe, test } from "vitest";
import { encryptedStore } from "./encrypted-store.js";

const keys = `first:${Buffer.alloc(32, 1).toString("base64")}`;

/** These search for the message of an error. */
const SEARCHES: ReadonlySet<string> = new Set([
  "found by text in the error, case-insensitive and literal",
  "texts of any length and kind are found by, and stop no projection",
]);

stateStoreConformance("an encrypted MemoryStore", {
  runner: { describe, test: (title: string, body: TestBody) => SEARCHES.has(title) || test(title, body) },
  open: () => encryptedStore(new MemoryStore(), { keys }),
});
