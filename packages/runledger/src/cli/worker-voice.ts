import type { WorkerOptions } from "../engine/worker.js";
import type { SchedulerOptions } from "../scheduler/scheduler.js";
import { errorLines } from "./report-error.js";
import { complain } from "./terminal.js";

/** A store that is broken is so ten times a second; saying it once a minute is enough. */
const QUIET_MS = 60_000;

/** What a worker says on a terminal of what should not have happened: a line, and no stack trace. */
export function workerVoice(): Required<Pick<WorkerOptions, "onFault" | "onAlert">> {
  const say = voice();
  return {
    onFault: ({ runId, error }) =>
      errorLines(error).forEach((line) => say(`error ${line}${runId === undefined ? "" : ` (run ${runId})`}`)),
    onAlert: ({ code, runId, message }) => say(`alert ${code}  ${message} (run ${runId})`),
  };
}

export function schedulerVoice(): Required<Pick<SchedulerOptions, "onFault">> {
  const say = voice();
  return {
    onFault: ({ schedule, error }) =>
      errorLines(error).forEach((line) =>
        say(`error ${line}${schedule === undefined ? "" : ` (schedule ${schedule.scheduleId})`}`),
      ),
  };
}

function voice(): (line: string) => void {
  const saidAt = new Map<string, number>();
  return (line) => {
    const now = Date.now();
    if (now - (saidAt.get(line) ?? -Infinity) < QUIET_MS) return;
    saidAt.set(line, now);
    complain(line);
  };
}
