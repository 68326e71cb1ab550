import type { WorkerOptions } from "../engine/worker.js";
import { errorLines } from "./report-error.js";

/** A store that is broken is so ten times a second; saying it once a minute is enough. */
const QUIET_MS = 60_000;

/** What a worker says on a terminal of what should not have happened: a line, and no stack trace. */
export function workerVoice(): Required<Pick<WorkerOptions, "onFault" | "onAlert">> {
  const saidAt = new Map<string, number>();
  const say = (line: string): void => {
    const now = Date.now();
    if (now - (saidAt.get(line) ?? -Infinity) < QUIET_MS) return;
    saidAt.set(line, now);
    process.stderr.write(`${line}\n`);
  };
  return {
    onFault: ({ runId, error }) =>
      errorLines(error).forEach((line) => say(`error ${line}${runId === undefined ? "" : ` (run ${runId})`}`)),
    onAlert: ({ code, runId, message }) => say(`alert ${code}  ${message} (run ${runId})`),
  };
}
