interface QueryState {
  readonly error: unknown;
  readonly failureReason: unknown;
}

/** Returns the error of the last fetch, also while React Query still retries it. `null` if the fetch succeeded. */
export function queryErrorOf({ error, failureReason }: QueryState): unknown {
  return error ?? failureReason;
}
