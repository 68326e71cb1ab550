import type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
import type { ExecutionSettings } from "./messages.js";

export interface TemporalSettings extends ExecutionSettings {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly tls: boolean;
  readonly apiKey: string | undefined;
  readonly payloadKeys: string | undefined;
}

/** The part of the settings that an execution carries. */
export function executionOf(settings: TemporalSettings): ExecutionSettings {
  const { continueAfterSteps, continueAfterBytes, heartbeatTimeoutMs, maxActivities, searchAttributes } = settings;
  const limits = { continueAfterSteps, continueAfterBytes, heartbeatTimeoutMs, maxActivities };
  return { ...limits, ...(searchAttributes && { searchAttributes }) };
}

export function settingsOf(options: TemporalOptions): TemporalSettings {
  const { address = "127.0.0.1:7233", namespace = "default", taskQueue = "runledger" } = options;
  const { apiKey, payloadKeys } = options;
  const { continueAfterSteps = 50, continueAfterBytes = 1024 * 1024, heartbeatTimeoutMs = 10_000 } = options;
  const { tls = apiKey !== undefined, maxActivities = 100 } = options;
  const execution = { continueAfterSteps, continueAfterBytes, heartbeatTimeoutMs, maxActivities };
  return { address, namespace, taskQueue, tls, apiKey, payloadKeys, ...execution };
}
