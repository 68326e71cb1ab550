import type { History, Operation } from "./history.js";
import { nameOf } from "./run-facts.js";

/**
 * Merges the histories of several processes of one machine. An operation that occurs twice, first unanswered and then
 * answered, counts once. Logs and checkpoints usually come from one history: that of the process that read the end.
 */
export function mergeHistories(histories: readonly Partial<History>[]): History {
  const operations = new Map<string, Operation>();
  for (const operation of histories.flatMap((history) => history.operations ?? [])) {
    const known = operations.get(nameOf(operation));
    if (known === undefined || known.returned === null) operations.set(nameOf(operation), operation);
  }
  return {
    operations: [...operations.values()],
    logs: histories.flatMap((history) => history.logs ?? []),
    checkpoints: histories.flatMap((history) => history.checkpoints ?? []),
  };
}
