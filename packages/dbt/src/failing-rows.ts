/**
 * Keeps the first rows that failing tests find, if the step's option `failingRows` is set. `dbt show` runs the query of each
 * test again with a limit. The rows are an artifact of the step, never part of a log or an event.
 */
import type { Json, JsonObject } from "@runledger/contracts";
import { objectOf, textOf, type DbtEvent } from "./events.js";

export const MAX_FAILING_ROWS = 100;
const MAX_TESTS = 50;
const MAX_CELL = 1000;
const MAX_BYTES = 256 * 1024;

/** Returns the names of the tests that are shown. `dbt show` selects tests by name. */
export function shownTests(uniqueIds: readonly string[]): readonly string[] {
  const names = uniqueIds.flatMap((uniqueId) => {
    const [kind, , name = ""] = uniqueId.split(".");
    return kind === "test" && /^\w[\w-]*$/.test(name) ? [name] : [];
  });
  return [...new Set(names)].slice(0, MAX_TESTS);
}

/**
 * Returns the arguments that select tests. dbt 1.11 prints only nodes whose names are part of the first criterion. So the
 * first one names all of them: it is their intersection, which selects nothing.
 */
export function selectTests(names: readonly string[]): readonly string[] {
  const all = names.length === 1 ? [] : [names.join(",")];
  const tests = names.map((name) => `${name},resource_type:test`);
  return ["--indirect-selection", "empty", "--select", ...all, ...tests];
}

/** Collects the rows as lines of JSON: `{ "step": …, "row": … }`. */
export class FailingRows {
  readonly #stepOf: (uniqueId: string) => string;
  readonly #wanted: ReadonlySet<string>;
  readonly #lines: string[] = [];
  #bytes = 0;

  /** `stepOf` returns the name of the inner step of a node. */
  constructor(uniqueIds: readonly string[], stepOf: (uniqueId: string) => string) {
    this.#wanted = new Set(uniqueIds);
    this.#stepOf = stepOf;
  }

  readonly add = ({ name, data }: DbtEvent): void => {
    const uniqueId = textOf(data["unique_id"]);
    if (name !== "ShowNode" || !this.#wanted.has(uniqueId)) return;
    for (const row of rowsIn(textOf(data["preview"]))) this.#addRow(this.#stepOf(uniqueId), row);
  };

  /** Empty if no test has a row. */
  get text(): string {
    return this.#lines.join("");
  }

  #addRow(step: string, row: JsonObject): void {
    const cells = Object.entries(row).map(([column, value]) => [column, shortened(value)] as const);
    const line = `${JSON.stringify({ step, row: Object.fromEntries(cells) })}\n`;
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes <= MAX_BYTES) this.#lines.push(line);
  }
}

function rowsIn(preview: string): readonly JsonObject[] {
  try {
    const rows = JSON.parse(preview) as Json;
    return Array.isArray(rows) ? (rows as readonly Json[]).map(objectOf).slice(0, MAX_FAILING_ROWS) : [];
  } catch {
    return [];
  }
}

function shortened(value: Json): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MAX_CELL ? value : `${text.slice(0, MAX_CELL)}…`;
}
