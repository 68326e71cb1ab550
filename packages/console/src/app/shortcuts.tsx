/** Everything can be reached without a mouse; these keys make it quick. */
import { useEffect, useState } from "react";
import { Dialog } from "../ui/dialog.js";

const KEYS = [
  ["j", "next row"],
  ["k", "previous row"],
  ["enter", "open the row"],
  ["/", "find"],
  ["x", "select the run, for what is done to many"],
  ["t", "timeline of a run"],
  ["g", "its graph"],
  ["e", "its events"],
  ["+", "zoom into the timeline; - zooms out, 0 shows the whole run"],
  ["[", "one event back in time"],
  ["]", "one event on"],
  ["esc", "close, or show the run again"],
  ["?", "this list"],
] as const;

/** A key does what the element that is marked with it does. */
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
    <Dialog
      title="Keys"
      onClose={onClose}
      footer={
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      }
    >
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

/** Rows are drawn in their order, and a few beyond what is seen. */
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
