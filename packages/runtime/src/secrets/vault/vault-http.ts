/** Requests to the HTTP API of HashiCorp Vault. */
import { omitUndefined } from "@runledger/contracts";
import { unavailable } from "../secret-errors.js";

export interface VaultAnswer {
  readonly status: number;
  /** `null` if the response has no JSON. */
  readonly body: unknown;
}

export class VaultHttp {
  readonly #address: URL;
  readonly #namespace: string | undefined;
  readonly #timeoutMs: number;

  constructor(options: { readonly address: string; readonly namespace?: string; readonly timeoutMs?: number }) {
    this.#address = new URL(options.address);
    this.#namespace = options.namespace;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
  }

  /** Throws `SECRETS_UNAVAILABLE` if Vault does not answer, is sealed or limits the rate. */
  async request(
    method: "GET" | "POST",
    path: string,
    { token, body }: { readonly token?: string; readonly body?: object },
  ): Promise<VaultAnswer> {
    const headers = omitUndefined({ "x-vault-token": token, "x-vault-namespace": this.#namespace });
    const answer = await fetch(new URL(`/v1/${path}`, this.#address), {
      method,
      headers: { ...headers, "x-vault-request": "true" },
      redirect: "error", // a redirect could carry the token elsewhere
      signal: AbortSignal.timeout(this.#timeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw unavailable("Vault", causeOf(error));
    });
    if (answer.status >= 500 || answer.status === 429 || answer.status === 412)
      throw unavailable("Vault", `status ${answer.status}`);
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }
}

/** `fetch` hides the reason behind "fetch failed". */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
