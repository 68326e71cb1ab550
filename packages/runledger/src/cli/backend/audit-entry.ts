import type { AuditEntry } from "@runledger/contracts";
import { userName } from "./user-name.js";

/** The audit entry of a change that a command makes directly in a store. */
export function auditEntry(action: string, tenantId: string | null, target: string): AuditEntry {
  const actor = { actor: "command line", actorKind: "command-line", actorId: userName(), keyId: null } as const;
  const where = { requestId: "none", address: "command line", count: 1 };
  return { tenantId, ...actor, action, target, outcome: "allowed", code: null, ...where };
}
