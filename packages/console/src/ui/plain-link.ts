/** Links of rows and cells: there are too many of them for components that watch the address. */
import type { MouseEvent } from "react";

/** The address of a run, or of one of its steps. */
export function linkTo(runId: string, step?: string): string {
  const run = `/runs/${encodeURIComponent(runId)}`;
  return step === undefined ? run : `${run}?step=${encodeURIComponent(step)}`;
}

/** Else the browser is to do what it does with a link: another tab, another window. */
export function isPlainClick({ ctrlKey, metaKey, shiftKey, altKey, button }: MouseEvent): boolean {
  return !ctrlKey && !metaKey && !shiftKey && !altKey && button === 0;
}
