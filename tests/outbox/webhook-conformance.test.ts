// @module-tag B-02
/** The webhook bus against a real receiver over HTTP, with batches. */
import { busConformance } from "runledger/testing";
import { describe, test } from "vitest";
import { webhookUnderTest } from "./webhook-under-test.js";

busConformance("a webhook with batches", {
  runner: { describe, test },
  open: () => webhookUnderTest({ batchSize: 20 }),
});
