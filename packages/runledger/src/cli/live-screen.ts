/** Lines that are drawn again in place, on a terminal. */
const UP = (lines: number): string => (lines === 0 ? "" : `\u001B[${lines}A`);
const CLEAR_BELOW = "\u001B[J";
// What a colour is made of takes no room on the screen.
const INVISIBLE = /\u001B\[[\d;]*m/g;

export class LiveScreen {
  #height = 0;

  draw(lines: readonly string[]): void {
    const columns = process.stdout.columns || 80; // a terminal that nobody has given a size says 0
    const rows = process.stdout.rows || 24;
    const shown = fit(lines, Math.max(2, rows - 1)).map((line) => cut(line, columns));
    process.stdout.write(`${UP(this.#height)}\r${CLEAR_BELOW}${shown.join("\n")}\n`);
    this.#height = shown.length;
  }
}

/** More lines than the terminal has cannot be drawn again in place. */
function fit(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const kept = height - 1;
  return [...lines.slice(0, kept), `… ${lines.length - kept} more lines`];
}

function cut(line: string, columns: number): string {
  const visible = line.replaceAll(INVISIBLE, "");
  return visible.length <= columns ? line : `${visible.slice(0, columns - 1)}…`;
}
