import type { World } from "../world.js";

/** Creates the real condition of an alert. It need not wait until the alert is raised. */
export type Driver = (world: World) => Promise<void>;
