/** What of a run is on the screen, as the address holds it: a link shows the same to somebody else. */
export const views = ["timeline", "graph", "events"] as const;
export type ViewName = (typeof views)[number];

export interface RunSearch {
  /** Default: timeline. */
  readonly view?: ViewName;
  /** What is selected; absent = the run itself. */
  readonly step?: string;
  /** The selected event. */
  readonly event?: number;
  /** The run as it was known then; absent = now. */
  readonly seq?: number;
  /** Containers that are open, separated by commas. */
  readonly open?: string;
  /** Containers that are open in the graph, by path. */
  readonly frames?: string;
  readonly find?: string;
  /** The part of the time that is looked at: milliseconds since the run was created, `1200-3400`. */
  readonly zoom?: string;
  /** Statuses of steps, separated by commas. */
  readonly only?: string;
  /** What the inspector shows. */
  readonly tab?: string;
}

export type RunSearchChange = { readonly [K in keyof RunSearch]?: RunSearch[K] | undefined };

const TEXTS = ["step", "open", "frames", "find", "zoom", "only", "tab"] as const;
const NUMBERS = ["seq", "event"] as const;

export function readRunSearch(search: Record<string, unknown>): RunSearch {
  const view = views.find((one) => one === search["view"]);
  const texts = TEXTS.filter((name) => typeof search[name] === "string" || typeof search[name] === "number");
  const numbers = NUMBERS.filter((name) => Number.isSafeInteger(search[name]) && (search[name] as number) > 0);
  return {
    ...(view !== undefined && { view }),
    ...Object.fromEntries(texts.map((name) => [name, String(search[name])])),
    ...Object.fromEntries(numbers.map((name) => [name, search[name] as number])),
  };
}

export interface Zoom {
  readonly from: number;
  readonly to: number;
}

/** Null = the whole run. */
export function zoomOf(text: string | undefined): Zoom | null {
  const [from, to] = (text ?? "").split("-").map(Number);
  return from !== undefined && to !== undefined && from < to ? { from, to } : null;
}

export function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}
