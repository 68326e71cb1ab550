/** The partitions that the page shows, stored in the URL. */
export interface PartitionSearch {
  /** Default: the last 100. */
  readonly from?: string;
  readonly to?: string;
}

export function readPartitionSearch(search: Record<string, unknown>): PartitionSearch {
  const text = (name: "from" | "to") => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? { [name]: String(value) } : {};
  };
  return { ...text("from"), ...text("to") };
}
