/** Browsers show a credential once and get a cookie for it, which no script can read and no other site can make them send. */
import type { Access, AccessSession } from "@runledger/contracts";
import type { Caller } from "./caller.js";
import { hashOf, newSecret } from "./secrets.js";

const NAME = "runledger_session";
const DAY_MS = 24 * 60 * 60 * 1000;
/** The owner of the machine should not have to log in; whoever comes from elsewhere does so once a day. */
const LOCAL_MS = 30 * DAY_MS;
const OTHER_MS = DAY_MS / 2;

export class Sessions {
  readonly #access: Access;
  readonly #attributes: string;

  /** `secure`: the cookie is sent over TLS only. */
  constructor(access: Access, { secure }: { readonly secure: boolean }) {
    this.#access = access;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  }

  /** The cookie to set. A session ends with what it was made with. */
  async open(caller: Caller, grantTenant: string): Promise<string> {
    const secret = newSecret();
    const { role, name, credential, expiresAt } = caller;
    const most = credential.startsWith("local:") ? LOCAL_MS : OTHER_MS;
    const left = expiresAt === null ? most : Date.parse(expiresAt) - Date.now();
    const ttlMs = Math.max(1, Math.min(most, left));
    const session = { sessionHash: hashOf(secret), tenantId: grantTenant, role, name, credential };
    await this.#access.createSession(session, ttlMs);
    return `${NAME}=${secret}; Max-Age=${Math.floor(ttlMs / 1000)}${this.#attributes}`;
  }

  async find(cookies: string | undefined): Promise<AccessSession | null> {
    const secret = secretIn(cookies);
    return secret === null ? null : this.#access.findSession(hashOf(secret));
  }

  /** The cookie that takes the cookie away. */
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
