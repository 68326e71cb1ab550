import type { ErrorCause, RunError } from "@runledger/contracts";

/** The causes of an error, outermost first. */
export function causesIn(cause: ErrorCause | undefined): ErrorCause[] {
  return cause === undefined ? [] : [cause, ...causesIn(cause.cause)];
}

/** The error with its stack and causes, for the clipboard. */
export function errorText({ code, message }: RunError, stack?: string, cause?: ErrorCause): string {
  const causes = causesIn(cause).map((one) =>
    joined(`caused by ${one.code === undefined ? "" : `${one.code} `}${one.message}`, one.stack),
  );
  return [joined(`${code} ${message}`, stack), ...causes].join("\n");
}

function joined(head: string, stack: string | undefined): string {
  return stack === undefined ? head : `${head}\n${stack.replaceAll(/^/gm, "    ")}`;
}
