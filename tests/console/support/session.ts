/** The session of the tabs, which the server opened for the data directory's token. */
import { TOKEN } from "@runledger/test-support/test-server";

let secret: string | null = null;

export async function logIn(url: string): Promise<void> {
  const response = await fetch(`${url}/?token=${TOKEN}`, { redirect: "manual" });
  secret = /^runledger_session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? null;
}

/** Empty until the first login. */
export function sessionCookies() {
  const where = { name: "runledger_session", domain: "127.0.0.1", path: "/", httpOnly: true } as const;
  return secret === null ? [] : [{ ...where, value: secret, sameSite: "Strict" as const }];
}
