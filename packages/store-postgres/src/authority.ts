/** The append authority of the log (P10): the option, or else the parameter of the URL. It cannot change later. */
import { InputError, omitUndefined } from "@runledger/contracts";
import { firstOf, type Session } from "./client.js";

/**
 * `head`: the lock of a run's head numbers its events, without gaps. `sequence`: a database sequence per run does, before
 * the events are stored. `redis`: a counter in Redis does.
 */
export type AppendAuthority = "head" | "sequence" | "redis";

export interface AuthorityOptions {
  /**
   * Numbers the events of each run. Chosen when the schema is created. Default `head`. Also a parameter of the URL:
   * `postgres://…?authority=sequence`. Another authority than the database has is refused. All but `head` leave gaps, so the
   * embedded engine refuses them.
   */
  readonly authority?: AppendAuthority;
  /** The Redis that counts, for `authority: "redis"`: `redis://host:6379`. Also a parameter of the URL. Needs `redis`. */
  readonly redis?: string;
}

export interface ChosenAuthority {
  /** `null` if neither the option nor the URL names one. */
  readonly authority: AppendAuthority | null;
  readonly redis: string | null;
}

const names: readonly string[] = ["head", "sequence", "redis"] satisfies readonly AppendAuthority[];

export function authorityFor(url: string, options: AuthorityOptions): ChosenAuthority {
  const parameters = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const { authority, redis } = { ...fromParameters(parameters), ...omitUndefined(options) };
  if (authority !== undefined && !names.includes(authority))
    throw new InputError("OPTION_INVALID", "authority", `must be one of ${names.join(", ")}.`);
  if (redis !== undefined && !isRedisUrl(redis))
    throw new InputError("OPTION_INVALID", "redis", "must be a URL such as redis://host:6379 or rediss://host:6379.");
  return { authority: (authority as AppendAuthority | undefined) ?? null, redis: redis ?? null };
}

function fromParameters(parameters: URLSearchParams): { readonly authority?: string; readonly redis?: string } {
  const [authority, redis] = ["authority", "redis"].map((name) => parameters.get(name) ?? undefined);
  return omitUndefined({ authority, redis });
}

function isRedisUrl(text: string): boolean {
  return URL.canParse(text) && ["redis:", "rediss:"].includes(new URL(text).protocol);
}

/** The migration that creates the authority reads this setting. */
export function authoritySetting(set: "SET" | "SET LOCAL", authority: AppendAuthority): string {
  return `${set} runledger.authority = '${authority}'`;
}

const CURRENT = { name: "authority_current", text: "SELECT runledger.append_authority()" };

/** Returns the authority of the database. Throws if another one was chosen, or if it needs an option that is missing. */
export async function checkAuthority(
  run: Session["run"],
  { authority, redis }: ChosenAuthority,
): Promise<AppendAuthority> {
  const current = firstOf(await run(CURRENT))[0] as AppendAuthority;
  if (authority !== null && authority !== current) {
    const remedy = `Leave it out, or set it to ${current}. To change it, export the runs and import them into a new database.`;
    throw new InputError("OPTION_INVALID", "authority", `is ${authority}, but this database has ${current}. ${remedy}`);
  }
  if (current === "redis" && redis === null)
    throw new InputError(
      "OPTION_INVALID",
      "redis",
      "is missing: Redis numbers the events of this database. Add its URL.",
    );
  return current;
}

/** Code that knows only the default authority must not append here. */
export const FENCE_OFF_OLD_CODE = `
UPDATE runledger.migrations SET oldest_code = id
WHERE name LIKE '%-append-authority' AND runledger.append_authority() <> 'head'`;
