/** The filter of the queue page, stored in the URL. */
export const places = ["queued", "waiting", "running"] as const;
export type Place = (typeof places)[number];

export interface QueueSearch {
  /** Default: all runs that are not running. */
  readonly where?: Place;
}

export function readQueueSearch(search: Record<string, unknown>): QueueSearch {
  const where = places.find((one) => one === search["where"]);
  return where === undefined ? {} : { where };
}
