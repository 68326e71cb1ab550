/** The checks of `doctor --server`: whether the server responds, is ready, and accepts the key. */
import type { RunledgerClient } from "@runledger/client";
import { InputError } from "@runledger/contracts";
import { requireRunledger } from "../backend/require-runledger.js";
import type { Finding } from "./doctor-checks.js";

const TIMEOUT_MS = 5_000;

export async function checkServer(url: string, client: Pick<RunledgerClient, "getMe">): Promise<Finding[]> {
  const ready = await checkReadiness(url);
  if (ready.state === "bad") return [ready];
  return [ready, await checkKey(url, client)];
}

async function checkReadiness(url: string): Promise<Finding> {
  const name = "Server";
  try {
    const response = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return { name, state: "good", found: `${url} is ready` };
    const fix = `it responded: ${(await response.text()).slice(0, 200)}`;
    return { name, state: "bad", found: `${url} responds but is not ready`, fix };
  } catch {
    return {
      name,
      state: "bad",
      found: `${url} does not respond`,
      fix: "start it with runledger serve, or correct --server",
    };
  }
}

async function checkKey(url: string, client: Pick<RunledgerClient, "getMe">): Promise<Finding> {
  const name = "Key";
  try {
    await requireRunledger(url, client);
    const me = await client.getMe();
    const scope = me.allTenants ? "all tenants" : `tenant ${me.tenantId}`;
    return { name, state: "good", found: `${me.name}: ${me.role} of ${scope}` };
  } catch (error) {
    if (error instanceof InputError)
      return { name: "Server", state: "bad", found: error.message, fix: "correct --server" };
    const fix = "pass a valid key with --key or RUNLEDGER_KEY; runledger keys create creates one";
    return { name, state: "bad", found: "the server rejects it", fix };
  }
}
