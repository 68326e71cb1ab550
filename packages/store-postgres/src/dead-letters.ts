/** Events that a bus refused too often. A dead letter is a state of its run's delivery. */
import type { DeadLetter, DeadLetterName, OutboxStore } from "@runledger/contracts";
import type { Database, Row, Statement } from "./client.js";

const list: Statement = {
  name: "dead_letter_list",
  text: `
SELECT s.tenant_id, s.subscription_id, d.run_id, d.delivered_seq + 1, d.dead_at, d.attempts, d.error
FROM runledger.subscriptions s JOIN runledger.deliveries d ON d.number = s.number AND d.dead_at IS NOT NULL
WHERE s.tenant_id = $1 AND ($2::text IS NULL OR s.subscription_id = $2) AND (s.subscription_id, d.run_id) > ($3, $4)
  AND ($5::text IS NULL OR d.run_id = $5)
ORDER BY s.subscription_id, d.run_id LIMIT $6`,
};

const release: Statement = {
  name: "dead_letter_release",
  text: `
UPDATE runledger.deliveries d
SET dead_at = NULL, attempts = 0, due_at = statement_timestamp(), delivered_seq = d.delivered_seq + $4
FROM runledger.subscriptions s
WHERE s.tenant_id = $1 AND s.subscription_id = $2 AND d.number = s.number AND d.run_id = $3 AND d.dead_at IS NOT NULL
RETURNING 1`,
};

export function deadLetters(
  db: Database,
): Pick<OutboxStore, "listDeadLetters" | "redriveDeadLetter" | "dropDeadLetter"> {
  const freed = async ({ tenantId, subscriptionId, runId }: DeadLetterName, skipped: number): Promise<boolean> =>
    (await db.write(release, [tenantId, subscriptionId, runId, skipped])).length > 0;
  return {
    listDeadLetters: async ({ tenantId, subscriptionId, runId, after, limit = 100 }) => {
      const place = [after?.subscriptionId ?? "", after?.runId ?? ""];
      return (await db.read(list, [tenantId, subscriptionId ?? null, ...place, runId ?? null, limit])).map(
        toDeadLetter,
      );
    },
    redriveDeadLetter: (name) => freed(name, 0),
    dropDeadLetter: (name) => freed(name, 1),
  };
}

function toDeadLetter([tenantId, subscriptionId, runId, runSeq, deadAt, attempts, error]: Row): DeadLetter {
  return {
    tenantId: tenantId as string,
    subscriptionId: subscriptionId as string,
    runId: runId as string,
    runSeq: runSeq as number,
    deadAt: deadAt as string,
    attempts: attempts as number,
    error: error as string,
  };
}
