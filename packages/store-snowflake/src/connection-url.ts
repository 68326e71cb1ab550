/** `snowflake://user@account/DATABASE/SCHEMA?warehouse=…&role=…`: everything but secrets, which are options of their own. */
import { InputError } from "@runledger/contracts";

/** Keys are enforced (`hybrid`), or a lock row is updated first (`standard`). */
export type Shape = "hybrid" | "standard";

export interface Credentials {
  readonly password?: string;
  /** Of a key pair: the private key itself, PEM, PKCS #8. */
  readonly privateKey?: string;
  /** Of a key pair: the file that holds it. */
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
  /** Default `hybrid`. What a schema was made with stays. */
  readonly shape?: Shape;
  /** `many`: other processes append too. Default: as many as the shape allows without asking anything of the account. */
  readonly writers?: "one" | "many";
  /** Where the account is reached if not at `account.snowflakecomputing.com`: a private link. */
  readonly accessUrl?: string;
}

const PARAMETERS = ["warehouse", "role", "shape", "writers", "privateKeyPath", "accessUrl"] as const;
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

/** Its message repeats nothing of the address: there may be a password in it. */
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
      throw invalid(`says ${name}=, which is ${CHOICES[name].join(" or ")}`);
    known[name] = value;
  }
  return known;
}

function invalid(what: string): InputError {
  const form = "snowflake://user@account/DATABASE/SCHEMA?warehouse=WAREHOUSE&role=ROLE";
  return new InputError("STORE_URL_INVALID", "url", `${what}; write ${form}.`);
}
