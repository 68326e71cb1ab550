/** Explains a refused signal or action to its sender, with the command that helps. */
const COMMANDS: Readonly<Record<string, (runId: string) => string>> = {
  FAILED: (runId) => ` To run it again: runledger retry ${runId}`,
  CANCELLED: (runId) => ` To run it again: runledger retry ${runId}`,
  PAUSED: (runId) => ` To continue it: runledger resume ${runId}`,
  COMPLETED: () => " Start another run instead.",
};

/** `CANCEL was refused: run R is FAILED. To run it again: runledger retry R` */
export function refusalText(runId: string, what: string, reason: string): string {
  const isAboutRun = reason.startsWith("the run ");
  const why = isAboutRun ? `run ${runId}${reason.slice("the run".length)}` : `${reason} in run ${runId}`;
  const [, status = ""] = /^the run is ([A-Z]+)/.exec(reason) ?? [];
  return `${what} was refused: ${why}.${COMMANDS[status]?.(runId) ?? ""}`;
}
