/** Why a run was left where it is (A1). */
export type NotArchived = "absent" | "not-terminal" | "leased" | "followed" | "changed";

export type ArchiveOutcome =
  | { readonly runId: string; readonly archived: true; readonly events: number }
  | { readonly runId: string; readonly archived: false; readonly reason: NotArchived };

/**
 * Moves finished runs out of the hot tables, one transaction per run (A1). Resumable: a run that is already archived
 * answers as archived. Archived runs stay readable; their duplicates are answered; new events get RUN_ARCHIVED.
 */
export interface Archive {
  archiveRun(runId: string): Promise<ArchiveOutcome>;
}
