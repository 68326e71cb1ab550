import { sha256Hex, type Schedule } from "@runledger/contracts";

/**
 * How much later than its times a schedule fires. By chance between schedules, so that those of one time do not come
 * at once; always the same for one schedule, so that the distance between its runs is what its timing says.
 */
export function jitterOf({ tenantId, scheduleId, definition }: Omit<Schedule, "epoch">): number {
  const share = Number.parseInt(sha256Hex(`${tenantId}|${scheduleId}`).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(share * definition.jitterMs);
}
