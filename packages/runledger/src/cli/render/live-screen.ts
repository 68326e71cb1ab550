/** Redraws lines in place on a terminal. */
import stringWidth from "string-width";
import { escapeControls } from "./escape-controls.js";
import { truncate } from "./truncate.js";

const UP = (lines: number): string => (lines === 0 ? "" : `\u001B[${lines}A`);
const CLEAR_BELOW = "\u001B[J";

/** Returns at most `rows` lines. */
export type Render = (rows: number) => readonly string[];

export class LiveScreen implements Disposable {
  #drawn: readonly string[] = [];
  #render: Render = () => [];
  readonly #redraw = (): void => this.draw(this.#render);

  constructor() {
    process.stdout.on("resize", this.#redraw);
  }

  draw(render: Render): void {
    this.#render = render;
    const columns = process.stdout.columns || 80; // a terminal without a size reports 0 columns
    const rows = Math.max(2, (process.stdout.rows || 24) - 1);
    const shown = render(rows)
      .slice(0, rows)
      .map((line) => truncate(escapeControls(line), columns));
    process.stdout.write(`${UP(this.#height(columns))}\r${CLEAR_BELOW}${shown.join("\n")}\n`);
    this.#drawn = shown;
  }

  [Symbol.dispose](): void {
    process.stdout.off("resize", this.#redraw);
  }

  /** A terminal that becomes narrower wraps the lines that are too long for it. */
  #height(columns: number): number {
    return this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0);
  }
}
