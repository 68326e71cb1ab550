import { MemoryStore } from "@runledger/store-memory";
import { describe, test } from "vitest";
import { stateStoreConformance } from "./index.js";

const runner = { describe, test };

stateStoreConformance("MemoryStore", { runner, open: async () => new MemoryStore() });

stateStoreConformance("MemoryStore that draws numbers first", {
  runner,
  open: async () => new MemoryStore({ contiguous: false }),
});
