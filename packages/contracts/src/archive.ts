/** The reason why a run was not archived (A1). */
export type NotArchived = "absent" | "not-terminal" | "leased" | "followed" | "changed" | "damaged";

export type ArchiveOutcome =
  | { readonly runId: string; readonly archived: true; readonly events: number }
  | { readonly runId: string; readonly archived: false; readonly reason: NotArchived };

/**
 * Moves finished runs out of the hot tables, one transaction per run (A1). The call is safe to repeat: it reports an
 * archived run as archived. Archived runs stay readable, and appending a stored event again returns its original
 * result. New events are refused with RUN_ARCHIVED.
 */
export interface Archive {
  archiveRun(runId: string): Promise<ArchiveOutcome>;
}
