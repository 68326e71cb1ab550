/** Links for rows and cells. A page has too many of them for router links, which all subscribe to the location. */
import type { MouseEvent } from "react";

/** Returns the URL of a run, or of one of its steps. */
export function linkTo(runId: string, step?: string): string {
  const run = `/runs/${encodeURIComponent(runId)}`;
  return step === undefined ? run : `${run}?step=${encodeURIComponent(step)}`;
}

/** `false` if the browser should open the link in a new tab or window. */
export function isPlainClick({ ctrlKey, metaKey, shiftKey, altKey, button }: MouseEvent): boolean {
  return !ctrlKey && !metaKey && !shiftKey && !altKey && button === 0;
}
