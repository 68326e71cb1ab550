import type { RunledgerClient } from "@runledger/client";
import { InputError, RunledgerError } from "@runledger/contracts";

/** Throws if the address belongs to another program. Its responses could look like success. */
export async function requireRunledger(url: string, client: Pick<RunledgerClient, "getMe">): Promise<void> {
  try {
    const me: unknown = await client.getMe();
    if (isMe(me)) return;
  } catch (error) {
    if (error instanceof RunledgerError && !isForeign(error)) throw error;
  }
  throw new InputError("OPTION_INVALID", "--server", `${url} is not a Runledger server. Check the address.`);
}

function isMe(response: unknown): boolean {
  return typeof response === "object" && response !== null && "tenantId" in response && "role" in response;
}

/** `true` if a program responded, but not with a problem document. A proxy reports an unreachable server with 5xx. */
function isForeign(error: RunledgerError): boolean {
  const { status = 0, requestId = "" } = (error as { problem?: { status?: number; requestId?: string } }).problem ?? {};
  return requestId === "" && status > 0 && status < 500 && status !== 429;
}
