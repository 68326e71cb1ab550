/** Converts a TIMESTAMP_NTZ, which holds UTC. The driver returns a Date with its own text form. */
export function isoInstant(value: unknown): string {
  return new Date((value as Date).getTime()).toISOString();
}
