/**
 * How projectors share runs out: each run belongs to one of a few partitions, each partition to one of the processes
 * that live. A partition follows the feed with a cursor of its own, so that whoever takes it over goes on where it stood.
 */
export const PARTITIONS = 8;

export function partitionOf(runId: string): number {
  let hash = 0x811c9dc5; // FNV-1a: every process must come to the same answer
  for (let at = 0; at < runId.length; at++) hash = Math.imul(hash ^ runId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % PARTITIONS;
}

/** Also the name of the group that projectors attend. */
export const GROUP = "projector";

export const followerOf = (partition: number): string => `${GROUP}/${partition}`;

/** Those of one member: all share out in the order of their names. */
export function partitionsOf(member: string, members: readonly string[]): number[] {
  const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  return all.filter((partition) => members[partition % members.length] === member);
}
