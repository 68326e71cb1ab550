/** Requests to a cloud service that accepts a bearer token. */
import { misconfigured, unavailable } from "../secret-errors.js";

export interface BearerRequest {
  /** The name of the service, for errors. */
  readonly service: string;
  readonly url: URL;
  readonly token: () => Promise<string>;
  readonly timeoutMs: number;
}

/** Returns `null` if there is no such object. Throws `SECRETS_UNAVAILABLE` if the service does not answer. */
export async function getWithBearer({ service, url, token, timeoutMs }: BearerRequest): Promise<unknown> {
  const answer = await fetch(url, {
    headers: { authorization: `Bearer ${await tokenOf(service, token)}` },
    redirect: "error", // a redirect could carry the token elsewhere
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw unavailable(service, (error as Error).cause ?? error);
  });
  if (answer.status === 404) return null;
  if (answer.status >= 500 || answer.status === 429) throw unavailable(service, `status ${answer.status}`);
  if (answer.status !== 200)
    throw misconfigured(
      service,
      `refused to read ${url.pathname} with status ${answer.status}. Check its permissions.`,
    );
  return await answer.json();
}

async function tokenOf(service: string, token: () => Promise<string>): Promise<string> {
  return await token().catch((error: unknown) => {
    throw unavailable(`The login for ${service}`, error);
  });
}
