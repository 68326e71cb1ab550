/** What the page of a workflow shows, as the address holds it. */
export const workflowTabs = ["versions", "schedules"] as const;
export type WorkflowTab = (typeof workflowTabs)[number];

export interface WorkflowSearch {
  /** Default: the versions. */
  readonly tab?: WorkflowTab;
  /** Versions that are compared: the older one, and the newer one. */
  readonly from?: string;
  readonly to?: string;
}

export function readWorkflowSearch(search: Record<string, unknown>): WorkflowSearch {
  const tab = workflowTabs.find((one) => one === search["tab"]);
  const text = (name: "from" | "to") => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? { [name]: String(value) } : {};
  };
  return { ...(tab !== undefined && { tab }), ...text("from"), ...text("to") };
}
