/** Refuses the operations of a ledger whose store does not have the port that they need. */
import { StopError, type FullStateStore } from "@runledger/contracts";

/** The ports that a store for direct starts may lack. */
const PORTS = {
  access: "API keys",
  archive: "an archive",
  artifacts: "artifacts",
  audit: "an audit log",
  checkpoints: "checkpoints",
  copies: "copies of runs",
  datasets: "an index of datasets",
  derived: "derived data",
  erasure: "erasure",
  expiry: "expiry of artifacts",
  feed: "a change feed",
  index: "lists of runs",
  keyframes: "keyframes",
  leases: "leases",
  limits: "limits",
  outbox: "subscriptions",
  plans: "published workflows",
  queue: "a queue",
  retention: "retention policies",
  schedules: "schedules",
  triggers: "triggers",
} as const satisfies Partial<Record<keyof FullStateStore, string>>;

export type PortName = keyof typeof PORTS;

export function missingPort(port: PortName): StopError {
  const message = `This store does not have ${PORTS[port]} (port ${port}). Use a ledger on postgres:// or embedded: for that.`;
  return new StopError("STORE_UNSUITABLE", message);
}

/** Returns a method that fails. */
export function refused(port: PortName): () => Promise<never> {
  return () => Promise.reject(missingPort(port));
}

/** Throws before something starts that would fail in the background. */
export function requirePort(store: FullStateStore, port: PortName): void {
  const found: unknown = store[port];
  if (found === undefined) throw missingPort(port);
}
