// @module-tag B-02
/** The webhook bus against a real receiver over HTTP, with one event per request. */
import { busConformance } from "runledger/testing";
import { describe, test } from "vitest";
import { webhookUnderTest } from "./webhook-under-test.js";

busConformance("a webhook", { runner: { describe, test }, open: () => webhookUnderTest({}) });
