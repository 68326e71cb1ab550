import type { BusClause } from "../bus-clause.js";
import { batches } from "./batches.js";
import { closing } from "./closing.js";
import { exactEvents } from "./exact-events.js";
import { order } from "./order.js";
import { outages } from "./outages.js";
import { refusals } from "./refusals.js";
import { repeats } from "./repeats.js";
import { settings } from "./settings.js";
import { takeOver } from "./take-over.js";

export const busClauses: readonly BusClause[] = [
  settings,
  exactEvents,
  order,
  batches,
  repeats,
  takeOver,
  refusals,
  outages,
  closing,
];
