/** The settings of a trigger whose events arrive over HTTP. */
import type { SourceSettings } from "@runledger/contracts";
import { wrongSetting } from "../event-source.js";

export const WEBHOOK = "webhook";

export interface WebhookSettings {
  /** Names of the keys. A sender signs with one of them. */
  readonly secrets: readonly string[];
  readonly toleranceSeconds: number;
}

const KNOWN = new Set(["type", "secrets", "toleranceSeconds"]);
const MAX_SECRETS = 10;
const MAX_TOLERANCE_SECONDS = 3600;

export function readWebhookSettings(settings: SourceSettings): WebhookSettings {
  const unknown = Object.keys(settings).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw wrongSetting(unknown, "is not a setting of webhooks.");
  const { secrets, toleranceSeconds = 300 } = settings;
  const isList = Array.isArray(secrets) && secrets.length > 0 && secrets.length <= MAX_SECRETS;
  if (!isList || !secrets.every((name) => typeof name === "string" && name !== ""))
    throw wrongSetting("secrets", `must list the names of 1 to ${MAX_SECRETS} keys that senders sign with.`);
  if (!isWhole(toleranceSeconds, MAX_TOLERANCE_SECONDS))
    throw wrongSetting("toleranceSeconds", `must be a whole number from 1 to ${MAX_TOLERANCE_SECONDS}.`);
  return { secrets: secrets as readonly string[], toleranceSeconds };
}

function isWhole(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
}
