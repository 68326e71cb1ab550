/** The address of a run, or of one of its steps. There are thousands of cells, too many for links that watch the address. */
export function linkTo(runId: string, step?: string): string {
  const run = `/runs/${encodeURIComponent(runId)}`;
  return step === undefined ? run : `${run}?step=${encodeURIComponent(step)}`;
}
