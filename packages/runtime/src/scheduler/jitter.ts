import { sha256Hex, type Schedule } from "@runledger/contracts";

/**
 * Returns a schedule's delay in ms. It differs between schedules, so that schedules of the same time do not fire together.
 * It is constant for one schedule, so that its runs keep their interval.
 */
export function jitterOf({ tenantId, scheduleId, definition }: Omit<Schedule, "epoch">): number {
  const share = Number.parseInt(sha256Hex(`${tenantId}|${scheduleId}`).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(share * definition.jitterMs);
}
