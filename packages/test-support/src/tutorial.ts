/** A tutorial as data: files to write, and commands with what they say, in the order of the text. */
export interface FileBlock {
  readonly kind: "file";
  readonly path: string;
  readonly text: string;
}

export interface CommandBlock {
  readonly kind: "command";
  readonly line: string;
  /** Lines that come one after the other in what it says; `…` is anything. */
  readonly says: readonly RegExp[];
}

const FENCE = /^```(typescript|console)([^\n]*)\n([\s\S]*?)^```$/gm;

export function readTutorial(text: string): (FileBlock | CommandBlock)[] {
  return [...text.matchAll(FENCE)].flatMap(([, language, path = "", code = ""]): (FileBlock | CommandBlock)[] =>
    language === "typescript" ? [{ kind: "file", path: path.trim(), text: code }] : commands(code),
  );
}

function commands(code: string): CommandBlock[] {
  const parts = code.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [line = "", ...says] = part.trimEnd().split("\n");
    return { kind: "command", line, says: says.map(toPattern) };
  });
}

function toPattern(line: string): RegExp {
  const parts = line.trim().split("…");
  return new RegExp(parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join(".*"));
}

/** Returns the first expected output that is missing or out of order, `null` if there is none. */
export function missingFrom(output: string, says: readonly RegExp[]): RegExp | null {
  const lines = output.split("\n");
  for (const pattern of says) {
    const at = lines.findIndex((line) => pattern.test(line));
    if (at === -1) return pattern;
    lines.splice(0, at + 1);
  }
  return null;
}
