/** Exit codes that scripts can rely on. */
export const exitCodes = {
  done: 0,
  /** The run failed or was canceled, or a verification found differences. */
  runFailed: 1,
  /** The arguments, or a file that they name, are invalid. */
  usage: 2,
  /** The command is valid, but it was refused. */
  refused: 3,
  /** The store or the server is unreachable. A retry may succeed. */
  unreachable: 4,
  /** Ctrl-C stopped the command before it finished. */
  interrupted: 130,
  /** A bug in Runledger. */
  fault: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
