import type { KeyboardEvent } from "react";

/** Moves the focus between the rows of a list or tree. Works on virtual lists, which render some rows beyond the visible ones. */
export function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")].sort(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
  );
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at === -1 || to === undefined || rows[to] === undefined) return;
  event.preventDefault();
  rows[to].focus();
}
