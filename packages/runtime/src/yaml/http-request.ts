import type { Json, JsonObject } from "@runledger/contracts";
import { ExpressionError } from "./expression-error.js";
import { toText } from "./template.js";

/** Converts a request for the runner. Segments and parameters are encoded, so that a value cannot change the rest of the URL. */
export function toRequest({ url, path = [], query = {}, ...rest }: JsonObject): JsonObject {
  return { ...rest, url: withParts(toText(url!), path as readonly Json[], query as JsonObject) };
}

/** Returns an invalid URL unchanged; the runner refuses it. */
function withParts(text: string, path: readonly Json[], query: JsonObject): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (path.length > 0) url.pathname = [url.pathname.replace(/\/$/, ""), ...path.map(toSegment)].join("/");
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, toText(value));
  return url.toString();
}

/** Refuses `.` and `..`, which leave the path even if they are encoded. */
function toSegment(value: Json): string {
  const text = toText(value);
  if (/^\.{0,2}$/.test(text))
    throw new ExpressionError(`Expression returned "${text}", which is not a path segment.`, 0);
  return encodeURIComponent(text);
}
