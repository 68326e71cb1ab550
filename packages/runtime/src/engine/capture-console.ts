/** Passes on what the process prints with `console`, and prints it without secrets (S1). */
import { format } from "node:util";
import { redactAny, redactText } from "../telemetry/process-redactors.js";

export interface ConsoleLine {
  readonly from: "stdout" | "stderr";
  readonly text: string;
}

type Method = "log" | "info" | "debug" | "warn" | "error";

const FROM: Readonly<Record<Method, ConsoleLine["from"]>> = {
  log: "stdout",
  info: "stdout",
  debug: "stdout",
  warn: "stderr",
  error: "stderr",
};

/** `true` while a line is printed. Another library may have wrapped a method that is already captured. */
let isPrinting = false;

/** Returns a function that restores the console, unless another library has replaced its methods meanwhile. */
export function captureConsole(receive: (line: ConsoleLine) => void): () => void {
  const restore = (Object.keys(FROM) as Method[]).map((method) => captureMethod(method, receive));
  return () => restore.forEach((each) => each());
}

function captureMethod(method: Method, receive: (line: ConsoleLine) => void): () => void {
  const original = console[method];
  let isReleased = false;
  const captured = (...args: unknown[]): void => {
    if (isReleased || isPrinting) return original.apply(console, args);
    isPrinting = true;
    try {
      const clean = args.map(redactAny);
      const text = format(...clean);
      const shown = redactText(text);
      receive({ from: FROM[method], text: shown });
      const isClean = text === shown && clean.every((each, place) => each === args[place]);
      original.apply(console, isClean ? args : ["%s", shown]);
    } finally {
      isPrinting = false;
    }
  };
  console[method] = captured;
  return () => {
    isReleased = true;
    if (console[method] === captured) console[method] = original;
  };
}
