import { InputError } from "./errors/families.js";

declare const URL: {
  new (text: string): {
    readonly protocol: string;
    readonly hostname: string;
    readonly username: string;
    readonly password: string;
    readonly pathname: string;
    readonly searchParams: Iterable<[string, string]>;
  };
  canParse(text: string): boolean;
};

/** A URL such as `s3://bucket/prefix?endpoint=https://…`. */
export interface BucketUrl {
  readonly host: string;
  /** The parts of the path, decoded. */
  readonly path: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses the URL of a bucket for artifacts. Refuses credentials, unknown parameters and an `endpoint` that is not a URL. */
export function readArtifactUrl(location: string, shape: string, known: readonly string[]): BucketUrl {
  const scheme = shape.slice(0, shape.indexOf("//"));
  const url = URL.canParse(location) ? new URL(location) : null;
  if (url === null || url.protocol !== scheme || url.hostname === "") throw invalid(`${location} is not ${shape}.`);
  if (url.username !== "" || url.password !== "")
    throw invalid(
      "the URL has credentials. Set them in the environment, as the guide on artifacts in a bucket describes.",
    );
  const parameters = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(parameters).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`the parameter ${unknown} is unknown. Use ${known.join(" or ")}.`);
  const { endpoint } = parameters;
  if (endpoint !== undefined && !/^https?:\/\/./.test(endpoint))
    throw invalid(`the endpoint ${endpoint} is not a URL.`);
  const path = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  return { host: url.hostname, path, parameters };
}

function invalid(message: string): InputError {
  return new InputError("OPTION_INVALID", "artifacts", message);
}
