import type { AlertCode } from "@runledger/contracts";
import { deliveryDrivers } from "./delivery.js";
import type { Driver } from "./driver.js";
import { projectorDrivers } from "./projector.js";
import { workerDrivers } from "./worker.js";

/** One per alert. The others run while the projector works, so it is suspended last. */
export const drivers: Readonly<Record<AlertCode, Driver>> = {
  ...workerDrivers,
  ...deliveryDrivers,
  ...projectorDrivers,
};
