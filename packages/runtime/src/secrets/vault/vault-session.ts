/** A login to HashiCorp Vault that is renewed before it expires. */
import { readFile } from "node:fs/promises";
import { misconfigured } from "../secret-errors.js";
import type { VaultAnswer, VaultHttp } from "./vault-http.js";

export type VaultAuth =
  | { readonly token: string }
  | { readonly appRole: { readonly roleId: string; readonly secretId: string; readonly mount?: string } }
  | {
      readonly kubernetes: {
        readonly role: string;
        /** The token of the service account. Default: where Kubernetes mounts it. */
        readonly tokenFile?: string;
        readonly mount?: string;
      };
    };

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/token";

interface Login {
  readonly token: string;
  readonly ttlSeconds: number;
  readonly isRenewable: boolean;
}

export class VaultSession {
  readonly #http: VaultHttp;
  readonly #auth: VaultAuth;
  #login: Promise<Login> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(http: VaultHttp, auth: VaultAuth) {
    this.#http = http;
    this.#auth = auth;
  }

  /** Sends a request with a valid token. A refused token is replaced once: it may have been revoked. */
  async get(path: string): Promise<VaultAnswer> {
    const login = (this.#login ??= this.#logIn());
    const answer = await this.#http.request("GET", path, { token: (await login).token });
    if (answer.status !== 403 || "token" in this.#auth) return answer;
    if (this.#login === login) this.#login = this.#logIn();
    return await this.#http.request("GET", path, { token: (await this.#login).token });
  }

  #logIn(): Promise<Login> {
    const login = this.#newLogin().then((made) => (this.#renewLater(made), made));
    login.catch(() => this.#login === login && (this.#login = null));
    return login;
  }

  async #newLogin(): Promise<Login> {
    if ("token" in this.#auth) return await this.#lookUp(this.#auth.token);
    const [path, body] = await credentials(this.#auth);
    const { auth } = (await this.#accepted("POST", path, { body })) as { auth: VaultLogin };
    return { token: auth.client_token, ttlSeconds: auth.lease_duration, isRenewable: auth.renewable };
  }

  async #lookUp(token: string): Promise<Login> {
    const { data } = (await this.#accepted("GET", "auth/token/lookup-self", { token })) as {
      data: { ttl: number; renewable: boolean };
    };
    return { token, ttlSeconds: data.ttl, isRenewable: data.renewable };
  }

  async #accepted(method: "GET" | "POST", path: string, parts: { token?: string; body?: object }): Promise<unknown> {
    const { status, body } = await this.#http.request(method, path, parts);
    if (status === 200) return body;
    throw misconfigured("Vault", `refused ${path} with status ${status}. Check the credentials of the worker.`);
  }

  /** A token without a limit (`ttlSeconds` 0) needs no renewal. The timer does not keep the process alive. */
  #renewLater({ token, ttlSeconds, isRenewable }: Login): void {
    clearTimeout(this.#timer);
    if (!isRenewable || ttlSeconds === 0) return;
    const delayMs = Math.min((ttlSeconds * 1000 * 2) / 3, 2 ** 31 - 1);
    this.#timer = setTimeout(() => void this.#renew(token), delayMs).unref();
  }

  /** After a failed renewal the next request logs in again. */
  async #renew(token: string): Promise<void> {
    try {
      const { auth } = (await this.#accepted("POST", "auth/token/renew-self", { token, body: {} })) as {
        auth: VaultLogin;
      };
      this.#renewLater({ token, ttlSeconds: auth.lease_duration, isRenewable: auth.renewable });
    } catch {
      this.#login = null;
    }
  }
}

interface VaultLogin {
  readonly client_token: string;
  readonly lease_duration: number;
  readonly renewable: boolean;
}

async function credentials(auth: Exclude<VaultAuth, { readonly token: string }>): Promise<[string, object]> {
  if ("appRole" in auth) {
    const { roleId, secretId, mount = "approle" } = auth.appRole;
    return [`auth/${mount}/login`, { role_id: roleId, secret_id: secretId }];
  }
  const { role, tokenFile = SERVICE_ACCOUNT, mount = "kubernetes" } = auth.kubernetes;
  const jwt = await readFile(tokenFile, "utf8").catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw misconfigured(tokenFile, `cannot be read (${code}). It holds the token of the service account.`);
  });
  return [`auth/${mount}/login`, { role, jwt: jwt.trim() }];
}
