/** The state of the workflow page, stored in the URL. */
export const workflowTabs = ["versions", "nodes", "schedules"] as const;
export type WorkflowTab = (typeof workflowTabs)[number];

export interface WorkflowSearch {
  /** Default: versions. */
  readonly tab?: WorkflowTab;
  /** The two versions to compare. */
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
