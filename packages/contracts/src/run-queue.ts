/** Stateless and idempotent: safe to run anywhere, any number of times (execution-semantics 3). */
export interface IRunQueueReconciler {
  dequeueAndStart(): Promise<{ runId: string; status: "STARTED" | "FAILED" | "SKIPPED" }[]>;
}
