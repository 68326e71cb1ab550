/** Which tenants see a workflow and may start it. */
export type Visibility = "shared" | { readonly tenants: readonly string[] };

/** A workflow without visibility is shared. */
export function isVisibleTo(visibility: Visibility | undefined, tenantId: string): boolean {
  return visibility === undefined || visibility === "shared" || visibility.tenants.includes(tenantId);
}
