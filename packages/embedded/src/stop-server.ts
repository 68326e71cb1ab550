import { hasErrorCode } from "./failures.js";
import { waitUntil } from "./timing.js";

/** PostgreSQL's fast shutdown, then its immediate one (it kills stuck backends itself after 5 s), then SIGKILL. */
const escalation = [
  { signal: "SIGINT", patienceMs: 20_000 },
  { signal: "SIGQUIT", patienceMs: 10_000 },
  { signal: "SIGKILL", patienceMs: 10_000 },
] as const;

/** Resolves when the server is gone. Commits survive all three ways. */
export async function stopServer(pid: number, isGone: () => boolean | Promise<boolean>): Promise<void> {
  for (const { signal, patienceMs } of escalation) {
    if (await isGone()) return;
    sendSignal(pid, signal);
    sendSignal(pid, "SIGCONT"); // a suspended server would not receive the first
    if (await waitUntil(isGone, { everyMs: 20, atMostMs: patienceMs })) return;
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH", "EPERM")) throw error;
  }
}
