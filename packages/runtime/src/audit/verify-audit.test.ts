// @module-tag R-24
import type { Audit, AuditEntry } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyAudit } from "./verify-audit.js";

let database: FreshDatabase;
let stores: PostgresStore[];
let audit: Audit;

beforeAll(async () => {
  database = await freshDatabase();
  stores = [await PostgresStore.open({ url: database.url }), await PostgresStore.open({ url: database.url })];
  audit = stores[0]!.audit;
});
afterAll(async () => {
  for (const store of stores ?? []) await store.close();
  await database?.drop();
});
beforeEach(async () => {
  await database.empty();
  await Promise.all([1, 2, 3, 4, 5, 6].map((n) => stores[n % 2]!.audit.recordAudit([entry(`t${n}`)])));
});

function entry(target: string): AuditEntry {
  const actor = { actor: "ci", actorKind: "key", actorId: "key_1", keyId: "key_1" } as const;
  const call = { action: "createKey", outcome: "allowed", code: null, requestId: "r", address: "a", count: 1 } as const;
  return { tenantId: "acme", ...actor, target, ...call };
}

const problems = async (anchor?: { seq: number; hash: string }) =>
  (await verifyAudit(audit, anchor === undefined ? {} : { anchor })).problems;

test("entries that two servers wrote at once are one chain, also after old ones were removed", async () => {
  const { head } = await audit.auditChain();
  expect(await verifyAudit(audit, { anchor: head })).toEqual({ entries: 6, unchained: 0, head, problems: [] });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await audit.pruneAudit({ olderThanMs: 0 });
  await audit.recordAudit([entry("later")]);
  expect(await verifyAudit(audit, { anchor: head })).toMatchObject({ entries: 2, problems: [] });
});

describe("verification finds that a user of the database", () => {
  test.each([
    [
      "changed an entry",
      "UPDATE runledger.audit_log SET actor = 'other' WHERE chain_seq = 3",
      ["Entry 3 was changed."],
    ],
    ["deleted an entry", "DELETE FROM runledger.audit_log WHERE chain_seq = 3", ["Entry 3 is missing."]],
    [
      "deleted the newest entries",
      "DELETE FROM runledger.audit_log WHERE chain_seq > 4",
      ["Entries 5 to 6 are missing."],
    ],
    ["deleted the oldest entry", "DELETE FROM runledger.audit_log WHERE chain_seq = 1", ["Entry 1 is missing."]],
    [
      "swapped two entries",
      `UPDATE runledger.audit_log a SET target = b.target, hash = b.hash FROM runledger.audit_log b
       WHERE (a.chain_seq, b.chain_seq) IN ((2, 3), (3, 2))`,
      ["Entry 2 was changed.", "Entry 3 was changed.", "Entry 4 was changed."],
    ],
    [
      "moved an entry to another place",
      "UPDATE runledger.audit_log SET chain_seq = 9 - chain_seq WHERE chain_seq IN (4, 5)",
      expect.arrayContaining(["Entry 4 is missing."]),
    ],
    [
      "added an entry",
      `INSERT INTO runledger.audit_log (actor, action, target, outcome, request_id, address)
       VALUES ('x', 'createKey', 't', 'allowed', 'r', 'a')`,
      [expect.stringMatching(/^The entry with id \d+ is not part of the chain\.$/)],
    ],
  ])("%s", async (_, sql, found) => {
    expect(await problems()).toEqual([]);
    await query(database.url, sql);
    expect(await problems()).toEqual(found);
  });

  test("wrote the whole log again, if an earlier head is known", async () => {
    const { head } = await audit.auditChain();
    await database.empty();
    for (let n = 0; n < 8; n++) await audit.recordAudit([entry("forged")]);
    expect(await problems()).toEqual([]);
    expect(await problems(head)).toEqual(["Entry 6 is not the one of the anchor. The chain was written again."]);
  });

  test("removed the newest entries together with the head, if an earlier head is known", async () => {
    const { head } = await audit.auditChain();
    await query(
      database.url,
      `DELETE FROM runledger.audit_log WHERE chain_seq > 4;
       UPDATE runledger.audit_chain SET (head_seq, head_hash) =
         (SELECT chain_seq, hash FROM runledger.audit_log WHERE chain_seq = 4)`,
    );
    expect(await problems()).toEqual([]);
    expect(await problems(head)).toEqual(["Entries 5 to 6 are missing."]);
  });
});
