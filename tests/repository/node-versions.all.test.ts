// @module-tag L-01
/**
 * Chosen tests on the other Node versions, in a fresh clone of what is committed. Their outcome depends on Node most:
 * processes, signals, HTTP, streams, and loading of TypeScript. `npm run test:long` runs all tests there.
 */
import { test } from "vitest";
import { OTHER_NODES, passesOnNode } from "@runledger/test-support/node-versions";

const CHOSEN = [
  "packages/client",
  "packages/core/src/fold",
  "packages/embedded/src/lifecycle",
  "packages/embedded/src/process-info",
  "packages/runledger",
  "packages/runtime/src/engine/runners",
  "packages/runtime/src/yaml",
  "packages/server/src/app/server.test.ts",
  "packages/server/src/streams",
  "packages/store-postgres/src/connection-loss",
  "packages/store-snowflake/tests/connecting",
  "tests/client",
  "tests/journeys/cli-server",
  "tests/journeys/cli-terminal",
  "tests/journeys/engine-worker",
  "tests/journeys/first-run",
  "tests/journeys/product-dev",
  "tests/simulation/races",
];

test.each(OTHER_NODES)("npm ci passes on Node %i, and so do the chosen tests", { timeout: 1_800_000 }, (major) =>
  passesOnNode(major, CHOSEN),
);
