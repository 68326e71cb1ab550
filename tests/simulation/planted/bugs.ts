import { driverBugs } from "./driver-bugs.js";
import { engineBugs } from "./engine-bugs.js";
import type { PlantedBug } from "./planted-bug.js";
import { storeBugs } from "./store-bugs.js";

export const bugs: readonly PlantedBug[] = [...storeBugs, ...driverBugs, ...engineBugs];
