import { setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";
import type { connect as Connect } from "@runledger/runtime/ledger/connect";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { processLogger } from "@runledger/runtime/telemetry/process-logger";

/** Pauses between two attempts to reach a store: they double from the first to the last. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 10_000;

/**
 * Opens the store of a process that stays: it may start before its database. Logs each attempt that fails,
 * and retries until the signal is aborted.
 */
export async function openLedgerWhenReachable(
  signal: AbortSignal,
  ...args: Parameters<typeof Connect>
): Promise<Ledger> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    try {
      return await openLedger(...args);
    } catch (error) {
      if (!(error instanceof RetryError) || signal.aborted) throw error;
      const message = `${error.message} Next attempt in ${pauseMs / 1000} s.`;
      processLogger().warn({ part: "store", code: error.code }, message);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw error;
    }
  }
}

/** Loads `connect` on demand: `--help` and commands against a server need neither stores nor the engine. */
export async function openLedger(...args: Parameters<typeof Connect>): Promise<Ledger> {
  const { connect } = await import("@runledger/runtime/ledger/connect");
  return connect(...args);
}
