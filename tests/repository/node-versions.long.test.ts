// @module-tag L-01
/** All tests on the other Node versions, in a fresh clone of what is committed. */
import { test } from "vitest";
import { OTHER_NODES, passesOnNode } from "@runledger/test-support/node-versions";

test.each(OTHER_NODES)("npm ci && npm test passes on Node %i", (major) => passesOnNode(major));
