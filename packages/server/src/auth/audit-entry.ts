import type { FastifyRequest } from "fastify";
import type { AuditActorKind, AuditEntry, ErrorCode } from "@runledger/contracts";
import type { Identity } from "./caller.js";

interface AuditedCall {
  /** `undefined` if the caller was not recognized. */
  readonly identity: Identity | undefined;
  readonly tenantId: string | null;
  readonly action: string;
  readonly outcome: AuditEntry["outcome"];
  readonly code?: ErrorCode;
}

export function auditEntry(request: FastifyRequest, call: AuditedCall): AuditEntry {
  const { identity, tenantId, action, outcome, code = null } = call;
  return {
    tenantId,
    ...actorOf(identity),
    action,
    target: `${request.method} ${pathOf(request)}`,
    outcome,
    code,
    requestId: request.id,
    address: request.ip,
    count: 1,
  };
}

function actorOf(identity: Identity | undefined): Pick<AuditEntry, "actor" | "actorKind" | "actorId" | "keyId"> {
  if (identity === undefined) return { actor: "unknown", actorKind: "unknown", actorId: null, keyId: null };
  const { name: actor, credential: actorId } = identity;
  const actorKind = kindOf(actorId);
  return { actor, actorKind, actorId, keyId: actorKind === "key" ? actorId : null };
}

function kindOf(credential: string): AuditActorKind {
  if (credential.startsWith("key_")) return "key";
  return credential.startsWith("local:") ? "local" : "user";
}

/** Omits the query, which may contain secrets, and cuts the path to a sane length. */
export function pathOf({ url }: FastifyRequest): string {
  return (url.split("?")[0] ?? "").slice(0, 500).replaceAll(/[^\u0021-\u007e]/g, "?");
}
