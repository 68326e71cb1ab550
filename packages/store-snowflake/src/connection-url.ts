/**
 * `snowflake://user@account/DATABASE/SCHEMA?warehouse=…&role=…`: everything except secrets, which are separate options.
 */
import { InputError } from "@runledger/contracts";

/** Keys are enforced (`hybrid`), or a lock row is updated first (`standard`). */
export type Shape = "hybrid" | "standard";

export interface Credentials {
  readonly password?: string;
  /** The private key of a key pair, PEM, PKCS #8. */
  readonly privateKey?: string;
  /** The file with the private key of a key pair. */
  readonly privateKeyPath?: string;
  readonly privateKeyPassphrase?: string;
  /** An OAuth access token. */
  readonly token?: string;
}

export interface SnowflakeTarget extends Credentials {
  readonly account: string;
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  readonly warehouse?: string;
  readonly role?: string;
  /** Default `hybrid`. An existing schema keeps its shape. */
  readonly shape?: Shape;
  /** `many` if other processes append too. Default: as many as the shape supports without account settings. */
  readonly writers?: "one" | "many";
  /** `redis://…` or `zookeeper://…`: a lock under which several processes append to standard tables. */
  readonly lock?: string;
  /** The address of the account if it is not `account.snowflakecomputing.com`: a private link. */
  readonly accessUrl?: string;
}

const PARAMETERS = ["warehouse", "role", "shape", "writers", "lock", "privateKeyPath", "accessUrl"] as const;
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  shape: ["hybrid", "standard"],
  writers: ["one", "many"],
};

export function parseSnowflakeUrl(text: string): SnowflakeTarget {
  const url = parsed(text);
  const [, database = "", schema = "", ...rest] = url.pathname.split("/").map(decodeURIComponent);
  const named = { account: url.hostname, user: decodeURIComponent(url.username), database, schema };
  for (const [field, value] of Object.entries(named)) if (value === "") throw invalid(`names no ${field}`);
  if (rest.length > 0) throw invalid("has more than a database and a schema in its path");
  const password = decodeURIComponent(url.password);
  return { ...named, ...(password === "" ? {} : { password }), ...parameters(url.searchParams) };
}

/** The message repeats nothing of the address, which may contain a password. */
function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "snowflake:") throw invalid("cannot be read");
  return url;
}

function parameters(search: URLSearchParams): Partial<SnowflakeTarget> {
  const known: Record<string, string> = {};
  for (const [name, value] of search) {
    if (!PARAMETERS.some((parameter) => parameter === name))
      throw invalid(`has the parameter ${name}, which is none of ${PARAMETERS.join(", ")}`);
    if (CHOICES[name]?.includes(value) === false)
      throw invalid(`has an unknown ${name}; use ${CHOICES[name].join(" or ")}`);
    known[name] = value;
  }
  return known;
}

function invalid(what: string): InputError {
  const form = "snowflake://user@account/DATABASE/SCHEMA?warehouse=WAREHOUSE&role=ROLE";
  return new InputError("STORE_URL_INVALID", "url", `${what}; write ${form}.`);
}
