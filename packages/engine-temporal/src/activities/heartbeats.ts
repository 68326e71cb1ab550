import { Context } from "@temporalio/activity";

/** Reports that the current activity is alive until the action is done. The calls of a slow store take seconds. */
export async function withHeartbeats<T>(everyMs: number, action: () => Promise<T>): Promise<T> {
  const activity = Context.current();
  const heartbeat = setInterval(() => activity.heartbeat(), everyMs);
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
  }
}
