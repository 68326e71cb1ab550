/** The part of HashiCorp Vault's HTTP API that a provider uses: logins, tokens, and KV version 2. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class VaultStub {
  /** Versions of the field `value`, by path. `null` is a deleted version. */
  readonly values = new Map<string, (string | null)[]>();
  readonly requests: string[] = [];
  readonly #tokens = new Set<string>();
  readonly #server: Server;
  /** The lifetime that it reports. Tokens are valid until `revokeAll`, so that a busy machine cannot miss a renewal. */
  ttlSeconds = 3600;
  /** A sealed server answers 503. */
  isSealed = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const [status, answer] = this.#answer(request, body);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
      });
    });
  }

  static async start(): Promise<VaultStub> {
    const stub = new VaultStub();
    await new Promise<void>((resolve) => stub.#server.listen(0, "127.0.0.1", resolve));
    return stub;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  issue(): string {
    const token = randomUUID();
    this.#tokens.add(token);
    return token;
  }

  revokeAll(): void {
    this.#tokens.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, body: Record<string, string>): [number, unknown] {
    const url = new URL(request.url!, this.address);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (this.isSealed) return [503, { errors: ["Vault is sealed"] }];
    if (url.pathname === "/v1/auth/approle/login") return this.#login(body["secret_id"] === "right");
    if (url.pathname === "/v1/auth/kubernetes/login") return this.#login(body["jwt"] === "service account");
    const token = String(request.headers["x-vault-token"]);
    if (!this.#tokens.has(token)) return [403, { errors: ["permission denied"] }];
    const ttl = { ttl: this.ttlSeconds, renewable: true };
    if (url.pathname === "/v1/auth/token/lookup-self") return [200, { data: ttl }];
    if (url.pathname === "/v1/auth/token/renew-self") return [200, { auth: this.#loginOf(token) }];
    return this.#read(url);
  }

  #login(isRight: boolean): [number, unknown] {
    if (!isRight) return [400, { errors: ["invalid credentials"] }];
    return [200, { auth: this.#loginOf(this.issue()) }];
  }

  #loginOf(token: string): unknown {
    return { client_token: token, lease_duration: this.ttlSeconds, renewable: true };
  }

  #read(url: URL): [number, unknown] {
    const versions = this.values.get(decodeURIComponent(url.pathname.replace("/v1/secret/data/", ""))) ?? [];
    const version = Number(url.searchParams.get("version") ?? versions.length);
    const value = versions[version - 1];
    if (value === undefined || value === null) return [404, { errors: [] }];
    return [200, { data: { data: { value }, metadata: { version } } }];
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text === "" ? {} : (JSON.parse(text) as Record<string, string>);
}
