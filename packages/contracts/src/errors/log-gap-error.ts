import { StopError } from "./families.js";

/** Numbers that are missing from a run's log. */
export interface LogGap {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

/** F6: the log has lost events. Readers stop before the gap, and nothing is executed on top of it. */
export class LogGapError extends StopError {
  constructor(
    readonly runId: string,
    readonly gap: LogGap,
  ) {
    const { from, to } = gap;
    const lost = from === to ? `Event ${from} is` : `Events ${from} to ${to} are`;
    super("LOG_GAP", `${lost} missing from the log of run ${runId}. Restore the log from a backup.`);
  }
}
