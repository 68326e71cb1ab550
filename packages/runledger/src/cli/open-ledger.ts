import type { connect as Connect } from "../ledger/connect.js";
import type { Ledger } from "../ledger/ledger.js";

/** `connect`, loaded when it is called: neither help nor what a server answers waits for stores and the engine. */
export async function openLedger(...args: Parameters<typeof Connect>): Promise<Ledger> {
  const { connect } = await import("../ledger/connect.js");
  return connect(...args);
}
