/** Keyboard shortcuts. */
import { useEffect, useState } from "react";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";

const KEYS = [
  ["j", "Next row"],
  ["k", "Previous row"],
  ["enter", "Open row"],
  ["/", "Search"],
  ["x", "Select run for bulk actions"],
  ["t", "Show the timeline of a run"],
  ["g", "Show its graph"],
  ["e", "Show its events"],
  ["+", "Zoom in on the timeline; - zooms out, 0 shows the whole run"],
  ["[", "Previous event"],
  ["]", "Next event"],
  ["esc", "Close, or go back to the run"],
  ["?", "Show this list"],
] as const;

/** A key clicks or focuses the element whose `data-key` names it. */
export function Shortcuts() {
  const [isHelp, setHelp] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") setHelp(true);
      else if (event.key === "j" || event.key === "k") moveFocus(event.key === "j" ? 1 : -1);
      else if (!press(event.key)) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return isHelp ? <Help onClose={() => setHelp(false)} /> : null;
}

function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <dl className="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox";
  return isText || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || inDialog(target);
}

function inDialog(target: HTMLElement): boolean {
  return target.closest('[role="dialog"], [role="menu"]') !== null;
}

/** Works on virtual lists: rows are rendered in order, with a few beyond the visible ones. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next =
    at === -1 ? (rows.find((row) => row.getAttribute("aria-selected") === "true") ?? rows[0]) : rows[at + by];
  next?.focus();
}

function press(key: string): boolean {
  const name = key === "Escape" ? "esc" : key;
  const within = document.activeElement?.closest("[data-row-box]");
  const selector = `[data-key="${CSS.escape(name)}"]`;
  const target = within?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(selector);
  if (target === null) return false;
  if (target instanceof HTMLInputElement && target.type !== "checkbox") target.focus();
  else target.click();
  return true;
}
