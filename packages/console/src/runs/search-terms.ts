/** Reads the text of the search box: filters such as `label:team:data`, statuses, workflow names, and text of an error. */
import { runLook } from "../ui/status.js";
import { runStatuses, type SearchChange } from "./search.js";

export const PREFIXES = {
  workflow: "workflow",
  version: "version",
  label: "labels",
  project: "project",
  environment: "environment",
  schedule: "schedule",
  parent: "parent",
  error: "error",
} as const;

interface SearchTerms {
  readonly filters: SearchChange;
  /** Terms without a prefix, in order. */
  readonly words: readonly string[];
}

/** Quotes keep spaces together: `error:"disk full"`. */
export function readTerms(text: string): SearchTerms {
  const filters: Record<string, string> = {};
  const words: string[] = [];
  for (const [term] of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const plain = term.replaceAll('"', "");
    const [, prefix = "", value = ""] = /^(\w+):(.+)$/.exec(plain) ?? [];
    const name = (PREFIXES as Readonly<Record<string, string>>)[prefix];
    const status = statusOf(plain);
    if (name !== undefined)
      filters[name] = [name === "labels" ? filters[name] : undefined, value].filter(Boolean).join(",");
    else if (status !== undefined) filters["status"] = [filters["status"], status].filter(Boolean).join(",");
    else words.push(plain);
  }
  return { filters, words };
}

/** `failed` is the status FAILED, `queued` is PENDING. */
function statusOf(word: string): string | undefined {
  const text = word.toLowerCase();
  return runStatuses.find((status) => status.toLowerCase() === text || runLook(status).word.toLowerCase() === text);
}

/** Returns the workflow with this name, or the only one whose name contains it. */
export function workflowNamed(word: string, names: readonly string[]): string | undefined {
  const text = word.toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(text));
  return (
    names.find((name) => name.toLowerCase() === text) ?? (found.length === 1 && text.length > 2 ? found[0] : undefined)
  );
}
