/** A ledger on a store without a queue: its engine starts the runs. */
import { StopError, type StateStore } from "@runledger/contracts";
import { partsOf } from "../engine/engine.js";
import { DirectStore } from "./direct-store.js";
import { Ledger, type LedgerOptions } from "./ledger.js";

/** Opens the store only if the engine can execute its runs. */
export async function connectDirectly(openLog: () => Promise<StateStore>, options: LedgerOptions): Promise<Ledger> {
  const direct = options.engine === undefined ? undefined : partsOf(options.engine).direct;
  if (direct === undefined) throw needsEngine();
  const log = await openLog();
  try {
    const executions = await direct.connect();
    return new Ledger(new DirectStore(log, executions), () => executions.close(), options);
  } catch (error) {
    await log.close();
    throw error;
  }
}

function needsEngine(): StopError {
  const message =
    "Snowflake has no queue and no leases, so the embedded engine cannot run on it. Pass an engine that starts runs directly: " +
    "connect(url, { engine: temporalEngine() }), or runledger worker --engine temporal://…. " +
    "Or run workers on embedded: or postgres://, and copy runs with runledger store export --to snowflake://….";
  return new StopError("STORE_UNSUITABLE", message);
}
