/** Queries for runs. Callers pass labels as a record; the API takes them as `name:value` pairs. */
import type { ListRunsQuery, RunFilter, StreamRunsQuery } from "./api-types.js";

export type Labels = Readonly<Record<string, string>>;
/** A query with labels as a record. */
export type WithLabels<Q extends { readonly labels?: unknown }> = Omit<Q, "labels"> & { readonly labels?: Labels };
export type RunListQuery = WithLabels<ListRunsQuery>;
export type StreamListQuery = WithLabels<StreamRunsQuery>;

/** Query string form: labels are joined with commas. */
export function toQuery({ labels = {}, ...query }: { readonly labels?: Labels } = {}): object {
  const pairs = labelPairs(labels);
  return pairs.length === 0 ? query : { ...query, labels: pairs.join(",") };
}

/** JSON body form: labels are an array. */
export function toFilter({ labels, ...query }: StreamListQuery): RunFilter {
  return labels === undefined ? query : { ...query, labels: labelPairs(labels) };
}

function labelPairs(labels: Labels): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}:${value}`);
}
