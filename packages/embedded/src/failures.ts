import { StopError, type CodeOf } from "@runledger/contracts";

type EmbeddedCode = Extract<CodeOf<"stop">, `EMBEDDED_${string}`>;

/** Every message is one line: what happened, then what to do. */
export function failure(code: EmbeddedCode, message: string, cause?: unknown): StopError {
  const oneLine = message.replace(/\s*\n\s*/g, " ");
  return new StopError(code, oneLine, cause === undefined ? undefined : { cause });
}

interface Symptom {
  readonly code: EmbeddedCode;
  readonly pattern: RegExp;
  readonly advice: (dataDir: string) => string;
}

/** Messages of the kernel (through Node) and of PostgreSQL's programs for the same problems. The first match counts. */
const symptoms: readonly Symptom[] = [
  {
    code: "EMBEDDED_DISK_FULL",
    pattern: /no space left on device|disk quota exceeded/i,
    advice: (dataDir) => `The disk of ${dataDir} is full: free some space, then start again. Nothing stored is lost.`,
  },
  {
    code: "EMBEDDED_PERMISSION",
    pattern: /has invalid permissions/i,
    advice: (dataDir) =>
      `${dataDir}/pgdata is open to other users: run chmod 700 "${dataDir}/pgdata", then start again.`,
  },
  {
    code: "EMBEDDED_PERMISSION",
    pattern: /read-only file system/i,
    advice: (dataDir) => `${dataDir} is on a read-only file system: choose another dataDir.`,
  },
  {
    code: "EMBEDDED_PERMISSION",
    pattern: /permission denied|operation not permitted|has wrong ownership/i,
    advice: (dataDir) =>
      `${dataDir} cannot be used by this user: run as the user that owns it and all it holds, or choose another dataDir.`,
  },
  {
    code: "EMBEDDED_PERMISSION",
    pattern: /could not look up effective user id/i,
    advice: () =>
      "PostgreSQL needs a user that has a name, and this user id has none in /etc/passwd: start as another user, or use a postgres:// URL.",
  },
  {
    code: "EMBEDDED_START_FAILED",
    pattern: /not a directory|file already exists/i,
    advice: (dataDir) => `${dataDir} is not a directory, or lies below a file: choose another dataDir.`,
  },
  {
    code: "EMBEDDED_OTHER_VERSION",
    pattern: /database files are incompatible|not compatible with this version/i,
    advice: (dataDir) =>
      `${dataDir}/pgdata was made by another build of PostgreSQL: use the Runledger version that made it, or choose another dataDir.`,
  },
];

interface Trouble {
  readonly dataDir: string;
  /** The output of a program. */
  readonly text: string;
  /** For problems without a matching symptom: the operation that failed, and the remedy. */
  readonly otherwise: { readonly what: string; readonly remedy: string };
  readonly cause?: unknown;
}

export function explain({ dataDir, text, otherwise, cause }: Trouble): StopError {
  const symptom = symptoms.find(({ pattern }) => pattern.test(text));
  if (symptom !== undefined) return failure(symptom.code, symptom.advice(dataDir), cause);
  return failure("EMBEDDED_START_FAILED", `${otherwise.what} (${firstErrorLine(text)}): ${otherwise.remedy}`, cause);
}

/** Returns the most useful line of a program's output: its first error, without time and place. */
export function firstErrorLine(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !/\b(LOG|HINT|DETAIL):/.test(line));
  const line = lines.find((each) => ERROR_PREFIX.test(each)) ?? lines.at(-1) ?? "it printed nothing";
  return line.replace(ERROR_PREFIX, "").slice(0, 300);
}
const ERROR_PREFIX = /^.*?\b(FATAL|PANIC|error):\s*/i;

/** Returns `true` for an error of the operating system, as opposed to a mistake in our code. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

export function hasErrorCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  return isSystemError(error) && codes.includes(error.code ?? "");
}
