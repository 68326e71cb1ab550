/** TIMESTAMP_NTZ, which holds UTC, as the driver gives it: a Date with a text form of its own. */
export function isoInstant(value: unknown): string {
  return new Date((value as Date).getTime()).toISOString();
}
