import { MemoryStore } from "@runledger/store-memory";
import { describe, test } from "vitest";
import { stateStoreConformance } from "./index.js";

stateStoreConformance("MemoryStore", { runner: { describe, test }, open: async () => new MemoryStore() });
