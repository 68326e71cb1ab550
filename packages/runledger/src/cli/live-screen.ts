/** Lines that are drawn again in place, on a terminal. */
import { cut, harmless, visibleLength } from "./visible-text.js";

const UP = (lines: number): string => (lines === 0 ? "" : `\u001B[${lines}A`);
const CLEAR_BELOW = "\u001B[J";

/** Gives at most so many lines. */
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
    const columns = process.stdout.columns || 80; // a terminal that nobody has given a size says 0
    const rows = Math.max(2, (process.stdout.rows || 24) - 1);
    const shown = render(rows)
      .slice(0, rows)
      .map((line) => cut(harmless(line), columns));
    process.stdout.write(`${UP(this.#height(columns))}\r${CLEAR_BELOW}${shown.join("\n")}\n`);
    this.#drawn = shown;
  }

  [Symbol.dispose](): void {
    process.stdout.off("resize", this.#redraw);
  }

  /** A terminal that became narrower has broken the lines that were too long for it. */
  #height(columns: number): number {
    return this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleLength(line) / columns)), 0);
  }
}
