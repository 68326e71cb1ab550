import type { Json, JsonObject } from "@runledger/contracts";
import { ExpressionError } from "./cel.js";
import { toText } from "./template.js";

/** A request as the runner takes it: segments and parameters are encoded, so that a value cannot leave its place. */
export function toRequest({ url, path = [], query = {}, headers, ...rest }: JsonObject): JsonObject {
  const address = withParts(toText(url!), path as readonly Json[], query as JsonObject);
  return { ...rest, url: address, ...(headers === undefined ? {} : { headers: toSettings(headers) }) };
}

/** What is no address is refused by the runner. */
function withParts(text: string, path: readonly Json[], query: JsonObject): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (path.length > 0) url.pathname = [url.pathname.replace(/\/$/, ""), ...path.map(toSegment)].join("/");
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, toText(value));
  return url.toString();
}

/** Dots alone would climb out of the path whatever encodes them. */
function toSegment(value: Json): string {
  const text = toText(value);
  if (/^\.{0,2}$/.test(text)) throw new ExpressionError(`It gives "${text}", which is no segment of a path.`, 0);
  return encodeURIComponent(text);
}

/** Headers and variables: text, or a reference to a secret, which stays one. */
export function toSettings(settings: Json): JsonObject {
  return Object.fromEntries(
    Object.entries(settings as JsonObject).map(([name, value]) => {
      const isSecret = typeof value === "object" && value !== null && "secret" in value;
      return [name, isSecret ? value : toText(value)];
    }),
  );
}
