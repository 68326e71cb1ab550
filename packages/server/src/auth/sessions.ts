/** A browser exchanges a credential for a cookie that scripts cannot read and other sites cannot send. */
import type { Access, AccessSession } from "@runledger/contracts";
import type { Caller } from "./caller.js";
import { hashOf, newSecret } from "./secrets.js";

const NAME = "runledger_session";
const DAY_MS = 24 * 60 * 60 * 1000;
/** The owner of the machine rarely has to log in; other users log in daily. */
const LOCAL_MS = 30 * DAY_MS;
const OTHER_MS = DAY_MS / 2;

export class Sessions {
  readonly #access: Access;
  readonly #attributes: string;

  /** `secure` restricts the cookie to TLS. */
  constructor(access: Access, { secure }: { readonly secure: boolean }) {
    this.#access = access;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  }

  /** Returns the cookie to set. The session expires no later than its credential. */
  async open(caller: Caller, grantTenant: string): Promise<string> {
    const secret = newSecret();
    const { role, name, credential, expiresAt } = caller;
    const maxMs = credential.startsWith("local:") ? LOCAL_MS : OTHER_MS;
    const leftMs = expiresAt === null ? maxMs : Date.parse(expiresAt) - Date.now();
    const ttlMs = Math.max(1, Math.min(maxMs, leftMs));
    const session = { sessionHash: hashOf(secret), tenantId: grantTenant, role, name, credential };
    await this.#access.createSession(session, ttlMs);
    return `${NAME}=${secret}; Max-Age=${Math.floor(ttlMs / 1000)}${this.#attributes}`;
  }

  async find(cookies: string | undefined): Promise<AccessSession | null> {
    const secret = secretIn(cookies);
    return secret === null ? null : this.#access.findSession(hashOf(secret));
  }

  /** Returns a cookie that deletes the session cookie. */
  async end(cookies: string | undefined): Promise<string> {
    const secret = secretIn(cookies);
    if (secret !== null) await this.#access.removeSession(hashOf(secret));
    return `${NAME}=; Max-Age=0${this.#attributes}`;
  }
}

function secretIn(cookies = ""): string | null {
  const found = cookies.split(";").find((cookie) => cookie.trim().startsWith(`${NAME}=`));
  const secret = found?.trim().slice(NAME.length + 1) ?? "";
  return /^[\w-]{43}$/.test(secret) ? secret : null;
}
