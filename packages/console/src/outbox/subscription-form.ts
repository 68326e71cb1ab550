/** The fields of the dialog as text, and the request that they make. */
import type { Subscription, SubscriptionRequest } from "@runledger/client";
import { omitUndefined } from "@runledger/contracts";
import { readJson } from "../ui/json-field.js";

export interface Draft {
  readonly id: string;
  readonly bus: "webhook" | "openlineage" | "other";
  readonly url: string;
  /** Names of keys, separated by commas. */
  readonly secrets: string;
  /** Name of the API key of a receiver of lineage. */
  readonly secret: string;
  /** Namespace of the jobs of lineage. */
  readonly namespace: string;
  readonly batchSize: string;
  /** Type and settings of another bus, as JSON. */
  readonly settings: string;
  readonly workflows: string;
  readonly eventTypes: string;
  /** `name=value`, separated by commas. */
  readonly labels: string;
  readonly maxAttempts: string;
}

export const EMPTY_DRAFT: Draft = {
  id: "",
  bus: "webhook",
  url: "",
  secrets: "",
  secret: "",
  namespace: "runledger",
  batchSize: "1",
  settings: "",
  workflows: "",
  eventTypes: "",
  labels: "",
  maxAttempts: "20",
};

export function draftOf({ subscriptionId: id, bus, filter, maxAttempts }: Subscription): Draft {
  const labels = Object.entries(filter.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return {
    ...EMPTY_DRAFT,
    id,
    ...busDraftOf(bus),
    workflows: joined(filter.workflows),
    eventTypes: joined(filter.eventTypes),
    labels: labels.join(", "),
    maxAttempts: String(maxAttempts),
  };
}

function busDraftOf(bus: Subscription["bus"]): Partial<Draft> {
  const { type, url, secrets, batchSize = 1, secret = "", namespace = EMPTY_DRAFT.namespace } = bus;
  if (type === "webhook") return { url: textOf(url), secrets: joined(secrets), batchSize: textOf(batchSize) };
  if (type === "openlineage")
    return { bus: type, url: textOf(url), secret: textOf(secret), namespace: textOf(namespace) };
  return { bus: "other", settings: JSON.stringify(bus, null, 2) };
}

/** Returns the first problem, or `null` if the draft can be saved. The server checks the rest. */
export function problemOf({ settings, labels, bus }: Draft): string | null {
  const wrong = listOf(labels)?.find((label) => !/^[^=]+=/.test(label));
  if (wrong !== undefined) return `${wrong} is not a label. Use name=value.`;
  const { error, value } = { value: null, ...readJson(settings) };
  if (bus !== "other") return null;
  if (error !== null) return `The settings are not valid JSON: ${error}`;
  return hasType(value) ? null : 'The settings need the type of the bus, such as { "type": "kafka" }.';
}

export function requestOf(draft: Draft, from?: string): SubscriptionRequest {
  const { workflows, eventTypes, labels, maxAttempts } = draft;
  const pairs = listOf(labels)?.map((label) => [
    label.slice(0, label.indexOf("=")),
    label.slice(label.indexOf("=") + 1),
  ]);
  const filter = {
    workflows: listOf(workflows),
    eventTypes: listOf(eventTypes),
    labels: pairs && (Object.fromEntries(pairs) as Record<string, string>),
  };
  return {
    bus: busOf(draft),
    filter: omitUndefined(filter),
    maxAttempts: Number(maxAttempts),
    ...omitUndefined({ from }),
  };
}

function busOf({ bus, url, secrets, batchSize, settings, secret, namespace }: Draft): SubscriptionRequest["bus"] {
  if (bus === "other") return JSON.parse(settings) as SubscriptionRequest["bus"];
  if (bus === "openlineage")
    return { type: bus, url, namespace, ...(secret.trim() !== "" && { secret: secret.trim() }) };
  const names = listOf(secrets);
  return { type: "webhook", url, ...(names && { secrets: names }), batchSize: Number(batchSize) };
}

function hasType(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** `undefined` if the text names nothing. */
function listOf(text: string): string[] | undefined {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0 ? undefined : names;
}

function joined(names: unknown): string {
  return Array.isArray(names) ? names.join(", ") : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
