/** The port of sources, the opposite of a bus: a source passes the messages of a broker to the handler of a trigger. */
import { InputError, type SourceSettings, type Trigger } from "@runledger/contracts";
import type { ReceivedMessage } from "./received-event.js";

export interface SourceMessage extends ReceivedMessage {
  /** When the broker stored the message, in milliseconds since 1970. */
  readonly storedAt: number;
}

export interface ConsumeParams {
  /** Resolves once the message may be acknowledged. Throws if it must stay with the broker. */
  readonly handle: (message: SourceMessage) => Promise<void>;
  /** Called once messages can arrive. */
  readonly onReady: () => void;
  readonly signal: AbortSignal;
}

export interface EventSource {
  /**
   * Passes messages to `handle`, one after the other, and acknowledges each afterwards. Returns after `signal` was aborted.
   * Throws if the broker is unavailable.
   */
  consume(params: ConsumeParams): Promise<void>;
}

export interface SourceContext {
  /** Consumers of the same trigger share its messages by this name. It contains letters, digits and hyphens only. */
  readonly group: string;
  readonly trigger: Pick<Trigger, "tenantId" | "triggerId" | "startsAt">;
}

/** Creates the source of a trigger. Throws an `InputError` if the settings are wrong. */
export interface SourceFactory {
  open(settings: SourceSettings, context: SourceContext): EventSource;
  /** Checks settings before a trigger is saved. Throws an `InputError` that names the setting. */
  check?(settings: SourceSettings): void;
}

/**
 * Returns the place that the trigger names, or the first one that the process allows. The process configures the connection
 * and lists the places, so that a tenant who may create triggers cannot read others.
 */
export function placeOf(settings: SourceSettings, name: string, allowed: readonly string[]): string {
  const unknown = Object.keys(settings).find((setting) => setting !== "type" && setting !== name);
  if (unknown !== undefined) throw wrongSetting(unknown, `is not a setting of this source. It has "${name}".`);
  const chosen = settings[name] ?? allowed[0];
  if (typeof chosen === "string" && allowed.includes(chosen)) return chosen;
  throw wrongSetting(name, `must be one of ${allowed.join(", ")}.`);
}

export function wrongSetting(setting: string, message: string): InputError {
  return new InputError("TRIGGER_INVALID", `source.${setting}`, message);
}
