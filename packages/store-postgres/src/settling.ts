/** Settles gaps (P10): a write on the head, which every append locks. So a missing number is proven dead, not guessed. */
import type { Settling } from "@runledger/contracts";
import type { Database, Statement } from "./client.js";

/** Numbers above the head are not settled: a writer may draw them later. */
const settle: Statement = {
  name: "settle_seq",
  limit: "append",
  text: `
UPDATE runledger.run_heads SET settled_seq = least($2::bigint, head_seq)
WHERE run_id = $1 AND coalesce(settled_seq, 0) < least($2::bigint, head_seq)`,
};

export function settling(db: Database): Settling {
  return { settleSeq: async ({ runId, seq }) => void (await db.write(settle, [runId, seq])) };
}
