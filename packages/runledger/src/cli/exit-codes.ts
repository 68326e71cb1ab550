/** How a command ends: what a script may rely on. */
export const exitCodes = {
  done: 0,
  /** The run that was waited for failed or was cancelled; what was verified is not as it should be. */
  runFailed: 1,
  /** What was typed, or a file it names, must be changed. */
  usage: 2,
  /** It was understood and refused. */
  refused: 3,
  /** The store cannot be reached; later it may be. */
  unreachable: 4,
  /** Ctrl-C came before it was through. */
  interrupted: 130,
  /** A fault in Runledger itself. */
  fault: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
