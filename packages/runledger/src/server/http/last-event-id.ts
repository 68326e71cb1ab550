import type { IncomingHttpHeaders } from "node:http";
import { InputError } from "@runledger/contracts";

/** Where a reader of server-sent events was when it lost the connection; null = it is new. */
export function lastEventId(headers: IncomingHttpHeaders): number | null {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return null;
  const seq = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : null;
  if (seq !== null) return seq;
  throw new InputError(
    "REQUEST_INVALID",
    "Last-Event-ID",
    "must be the runSeq of an event; leave it out to begin anew.",
  );
}
