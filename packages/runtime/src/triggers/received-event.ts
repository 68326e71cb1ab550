/** Reads messages as events: CloudEvents 1.0 in structured or binary mode, or plain JSON. */
import { InputError, type Json, type JsonObject } from "@runledger/contracts";

/** An event as expressions see it. Attributes that it does not have are `null`. */
export interface TriggerEvent {
  readonly id: string;
  readonly type: Json;
  readonly source: Json;
  readonly subject: Json;
  readonly time: Json;
  readonly data: Json;
  /** Extensions of a CloudEvent. */
  readonly [attribute: string]: Json;
}

/** A message as a source received it. */
export interface ReceivedMessage {
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The id of a message that is not a CloudEvent. */
  readonly id: string;
  /** The place of the message in its source, for people. */
  readonly position: string;
}

export interface ReadEvent {
  readonly event: TriggerEvent;
  /** Identifies the event: a CloudEvent by its source and id, as its specification requires. */
  readonly key: string;
}

const MAX_ID_LENGTH = 1000;
const NONE = { type: null, source: null, subject: null, time: null, data: null };

/** Throws TRIGGER_EVENT_INVALID. */
export function readEvent({ headers, body, id }: ReceivedMessage): ReadEvent {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/cloudevents-batch"))
    throw invalid("content-type", "is a batch of events. Send one event per message.");
  const attributes = attributesOf(headers);
  if ("specversion" in attributes) return cloudEvent({ ...attributes, data: dataOf(body, type) });
  const data = parse(body);
  if (type.startsWith("application/cloudevents+json") || isCloudEvent(data)) return cloudEvent(data);
  return { event: { ...NONE, id: checkId(id), data }, key: id };
}

/** Attributes of the binary mode: `ce-id` in HTTP and NATS, `ce_id` in Kafka. */
function attributesOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const found = Object.entries(headers).flatMap(([name, value]) => {
    const [, attribute] = /^ce[-_]([a-z0-9]+)$/.exec(name) ?? [];
    return attribute === undefined ? [] : [[attribute, decoded(value)] as const];
  });
  return Object.fromEntries(found);
}

/** Values of headers may be percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isCloudEvent(value: Json): value is JsonObject {
  return isObject(value) && typeof value["specversion"] === "string" && "id" in value && "source" in value;
}

function cloudEvent(value: Json): ReadEvent {
  if (!isObject(value)) throw invalid("event", "must be an object.");
  const { specversion, source, type } = value;
  if (typeof specversion !== "string" || !specversion.startsWith("1."))
    throw invalid("event.specversion", 'must be "1.0".');
  if (typeof source !== "string" || source === "") throw invalid("event.source", "must be a text that is not empty.");
  if (typeof type !== "string" || type === "") throw invalid("event.type", "must be a text that is not empty.");
  const id = checkId(value["id"]);
  return { event: { ...NONE, ...value, id }, key: JSON.stringify([source, id]) };
}

function checkId(id: unknown): string {
  if (typeof id === "string" && isStorable(id, MAX_ID_LENGTH)) return id;
  throw invalid("event.id", `must be a text of 1 to ${MAX_ID_LENGTH} characters.`);
}

const FORBIDDEN = /\u0000|\p{Surrogate}/u;

/** Stores keep neither null characters nor lone surrogates. */
export function isStorable(text: string, maxLength: number): boolean {
  return text !== "" && text.length <= maxLength && !FORBIDDEN.test(text);
}

/** The data of the binary mode: JSON unless its type says otherwise. */
function dataOf(body: string, type: string): Json {
  if (body === "") return null;
  return type === "" || /[/+]json\b/.test(type) ? parse(body) : body;
}

function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    throw invalid("event", "is not JSON.");
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(field: string, message: string): InputError {
  return new InputError("TRIGGER_EVENT_INVALID", field, message);
}
