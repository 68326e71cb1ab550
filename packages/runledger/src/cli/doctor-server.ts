/** What `doctor` says of a server: whether it answers, is ready, and takes the key. */
import type { RunledgerClient } from "@runledger/client";
import type { Finding } from "./doctor-checks.js";

const PATIENCE_MS = 5_000;

export async function checkServer(url: string, client: Pick<RunledgerClient, "getMe">): Promise<Finding[]> {
  const ready = await readiness(url);
  if (ready.state === "bad") return [ready];
  return [ready, await checkKey(client)];
}

async function readiness(url: string): Promise<Finding> {
  const name = "server";
  try {
    const answer = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) return { name, state: "good", found: `${url} is ready` };
    const fix = `it said: ${(await answer.text()).slice(0, 200)}`;
    return { name, state: "bad", found: `${url} answers, and is not ready`, fix };
  } catch {
    return {
      name,
      state: "bad",
      found: `${url} does not answer`,
      fix: "start it with runledger serve, or mend --server",
    };
  }
}

async function checkKey(client: Pick<RunledgerClient, "getMe">): Promise<Finding> {
  try {
    const { name, role, tenantId, allTenants } = await client.getMe();
    return { name: "key", state: "good", found: `${name} is ${role} of ${allTenants ? "all tenants" : tenantId}` };
  } catch {
    const fix = "name one with --key or RUNLEDGER_KEY; runledger keys create makes one";
    return { name: "key", state: "bad", found: "the server does not take it", fix };
  }
}
