/** Which part of the queue is shown, as the address holds it. */
export const places = ["queued", "waiting", "running"] as const;
export type Place = (typeof places)[number];

export interface QueueSearch {
  /** Default: all that does not run. */
  readonly where?: Place;
}

export function readQueueSearch(search: Record<string, unknown>): QueueSearch {
  const where = places.find((one) => one === search["where"]);
  return where === undefined ? {} : { where };
}
