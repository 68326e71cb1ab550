/** The state of the run page, stored in the URL so that a link shows the same view. */
export const views = ["timeline", "graph", "events"] as const;
export type ViewName = (typeof views)[number];

export interface RunSearch {
  /** Default: timeline. */
  readonly view?: ViewName;
  /** The selected step. Without it, the run itself is selected. */
  readonly step?: string;
  /** The selected event. */
  readonly event?: number;
  /** Shows the run as it was at this event. Default: the latest state. */
  readonly seq?: number;
  /** Comma-separated ids of open containers. */
  readonly open?: string;
  /** Comma-separated paths of containers that are open in the graph. Default: those with few inner steps. */
  readonly frames?: string;
  readonly find?: string;
  /** The visible time range in milliseconds since the run was created: `1200-3400`. */
  readonly zoom?: string;
  /** Comma-separated statuses of steps. */
  readonly only?: string;
  /** The open tab of the inspector. */
  readonly tab?: string;
}

export type RunSearchChange = { readonly [K in keyof RunSearch]?: RunSearch[K] | undefined };

/** No container is open in the graph. */
export const NO_FRAMES = "-";

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

/** Returns `null` for the whole run. */
export function zoomOf(text: string | undefined): Zoom | null {
  const [from, to] = (text ?? "").split("-").map(Number);
  return from !== undefined && to !== undefined && from < to ? { from, to } : null;
}

export function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}
