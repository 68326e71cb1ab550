/** Who makes a request, and what they may do. */
import { DEFAULT_TENANT } from "@runledger/contracts";

/** Each may do what those before it may. */
const roles = ["viewer", "operator", "engineer", "admin"] as const;
export type Role = (typeof roles)[number];

export interface Caller {
  /** As it goes on record. */
  readonly name: string;
  readonly tenantId: string;
  readonly role: Role;
}

/** Whoever sits at the machine. */
export const localCaller: Caller = { name: "local", tenantId: DEFAULT_TENANT, role: "admin" };
