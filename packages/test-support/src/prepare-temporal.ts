/** Makes a Temporal server ready before the first test starts: a build takes minutes, and several files need it. */
import { provisionTemporal } from "./temporal-provisioning.js";

/** Every project of a run loads this file again. They share one build. */
const home = globalThis as { runledgerTemporal?: Promise<void> };

export default async function prepareTemporal(): Promise<void> {
  home.runledgerTemporal ??= provisionTemporal(console.error); // tests without a server are left out by name
  await home.runledgerTemporal;
}
