/**
 * Shares runs between projector processes. Each run belongs to one partition, and each partition to one live process. A
 * partition has its own feed cursor, so the process that takes it over continues where the last one stopped.
 */
export const PARTITIONS = 8;

export function partitionOf(runId: string): number {
  let hash = 0x811c9dc5; // FNV-1a: every process must compute the same partition
  for (let at = 0; at < runId.length; at++) hash = Math.imul(hash ^ runId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
}

/** The membership group of projectors, and the prefix of their follower names. */
export const GROUP = "projector";

export const followerOf = (partition: number): string => `${GROUP}/${partition}`;

/** The partitions of one member. Members are ordered by name, so all processes agree. */
export function partitionsOf(member: string, members: readonly string[]): number[] {
  const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  return all.filter((partition) => members[partition % members.length] === member);
}
