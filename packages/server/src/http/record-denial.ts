/** Records a signal or an action that a caller's role denies in the log of the run (G2). */
import type { FastifyRequest } from "fastify";
import { RunledgerError, sha256Hex } from "@runledger/contracts";
import { internalsOf } from "@runledger/runtime/ledger/internals";
import type { Caller } from "../auth/caller.js";
import type { Api } from "./api.js";
import type { Route, Steering } from "./define-route.js";
import { parsePart } from "./parse-request.js";

const HOUR_MS = 3_600_000;

/** Never throws: the caller gets its denial in any case, and the audit log contains it. */
export async function recordDenial(route: Route, api: Api, request: FastifyRequest, caller: Caller): Promise<void> {
  if (route.steering === undefined) return;
  try {
    const steering = route.steering(parsePart("path", route.params, request.params));
    const [own] = await api.ledger.store.forTenant(caller.tenantId).fetchHeads([steering.runId]);
    if (own === undefined) return; // no caller writes into the runs of another tenant
    const reason = `${caller.name} has the role ${caller.role}, and ${route.role} is required`;
    const sent = { ...steering, by: caller.name, signalId: denialId(steering, caller) };
    await internalsOf(api.ledger).recordDenial(sent, reason);
  } catch (error) {
    if (!(error instanceof RunledgerError)) api.onError(error);
  }
}

/** One id per caller, action and hour: a denied caller must not use up the limit of operators (P9). */
function denialId({ namespace, name }: Steering, { credential }: Caller): string {
  const what = namespace === "signal" ? "signal" : name;
  return `denied_${sha256Hex([credential, what, Math.floor(Date.now() / HOUR_MS)].join("|")).slice(0, 32)}`;
}
