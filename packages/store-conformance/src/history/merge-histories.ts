import type { History, Operation } from "./history.js";
import { nameOf } from "./run-facts.js";

/**
 * One history from those of several processes of one machine. A client's operation that comes twice, first unanswered
 * and then answered, counts once. Logs and checkpoints usually come from one of them: whoever read the end.
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
