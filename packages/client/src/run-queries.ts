/** Which runs, as a caller says it: labels are a record. */
import type { ListRunsQuery, RunFilter, StreamRunsQuery } from "./api-types.js";

type Labels = Readonly<Record<string, string>>;
type WithLabels<Q extends { readonly labels?: unknown }> = Omit<Q, "labels"> & { readonly labels?: Labels };
export type RunListQuery = WithLabels<ListRunsQuery>;
export type StreamListQuery = WithLabels<StreamRunsQuery>;

/** Lists are separated by commas, labels are written as pairs. */
export function toQuery({ labels = {}, ...query }: RunListQuery = {}): object {
  const pairs = labelPairs(labels);
  return pairs.length === 0 ? query : { ...query, labels: pairs.join(",") };
}

/** As a body has it: lists are lists. */
export function toFilter({ labels, ...query }: StreamListQuery): RunFilter {
  return labels === undefined ? query : { ...query, labels: labelPairs(labels) };
}

function labelPairs(labels: Labels): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}:${value}`);
}
