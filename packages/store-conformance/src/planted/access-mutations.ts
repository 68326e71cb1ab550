/** Faults in keys, sessions and the audit, one per mutation. */
import type { Access, Audit } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const access = (change: (real: Access) => Partial<Access>): Mutation => ({
  store: (real) => ({ access: overlay(real.access!, change(real.access!)) }),
});
const audit = (change: (real: Audit) => Partial<Audit>): Mutation => ({
  store: (real) => ({ audit: overlay(real.audit!, change(real.audit!)) }),
});

export const accessMutations: Readonly<Record<string, () => Mutation>> = {
  "keys do not expire": () => access((real) => ({ createKey: (key) => real.createKey({ ...key, ttlMs: null }) })),
  "keys of all tenants are listed": () =>
    access((real) => ({ listKeys: (params) => real.listKeys({ ...params, tenantId: "*" }) })),
  "any tenant revokes a key": () =>
    access((real) => ({ revokeKey: ({ keyId }) => real.revokeKey({ tenantId: "*", keyId }) })),
  "the use of a key is forgotten": () => access(() => ({ keyUsed: async () => {} })),
  "sessions do not expire": () =>
    access((real) => ({ createSession: (session) => real.createSession(session, 1_000_000) })),
  "any name is a key's": () =>
    access((real) => ({ createKey: (key) => real.createKey({ ...key, name: key.name.replaceAll("\u0000", "") }) })),
  "the audit is listed as it came": () =>
    audit((real) => ({ listAudit: async (params) => (await real.listAudit(params)).toReversed() })),
  "every tenant sees the whole audit": () =>
    audit((real) => ({ listAudit: (params) => real.listAudit({ ...params, tenantId: "*" }) })),
  "the audit is read backwards": () =>
    audit((real) => ({ readAudit: async (params) => (await real.readAudit(params)).toReversed() })),
  "the base of the audit's chain is forgotten": () =>
    audit((real) => ({
      auditChain: async () => ({ ...(await real.auditChain()), base: { seq: 0, hash: "0".repeat(64) } }),
    })),
  "the audit's chain has a wrong head": () =>
    audit((real) => ({
      auditChain: async () => {
        const { base } = await real.auditChain();
        return { base, head: base };
      },
    })),
  "the audit takes what it can": () =>
    audit((real) => ({
      recordAudit: async (entries) => {
        for (const entry of entries) await real.recordAudit([entry]);
      },
    })),
};
