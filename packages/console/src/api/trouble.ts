interface Asked {
  readonly error: unknown;
  readonly failureReason: unknown;
}

/** Why the last answer is missing; null = it is not. A server that cannot be reached is asked again and again meanwhile. */
export function troubleOf({ error, failureReason }: Asked): unknown {
  return error ?? failureReason;
}
