import type { Json, JsonObject } from "@runledger/contracts";
import { ExpressionError } from "./cel.js";
import { toText } from "./template.js";

/** A request as the runner takes it: segments and parameters are encoded, so that a value cannot leave its place. */
export function toRequest({ url, path, query, headers, ...rest }: JsonObject): JsonObject {
  const segments = (path as readonly Json[] | undefined)?.map(toSegment) ?? [];
  const parameters = Object.entries((query as JsonObject | undefined) ?? {}).map(([name, value]): [string, string] => [
    name,
    toText(value),
  ]);
  const address = [toText(url!).replace(/\/$/, segments.length === 0 ? "/" : ""), ...segments].join("/");
  const search = parameters.length === 0 ? "" : `?${new URLSearchParams(parameters).toString()}`;
  return { ...rest, url: address + search, ...(headers === undefined ? {} : { headers: toSettings(headers) }) };
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
