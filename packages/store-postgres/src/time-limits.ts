/** Time limits of a store: options, then parameters of its URL, then defaults. */
import { InputError } from "@runledger/contracts";
import type { Limits } from "./client.js";

export interface TimeLimitOptions {
  /**
   * How long a statement may take. Default 30 seconds. Also a parameter of the URL, like the other limits:
   * `postgres://…?statementTimeoutMs=60000`.
   */
  readonly statementTimeoutMs?: number;
  /** How long an append, a start, a claim or a heartbeat may take. Default 10 seconds. */
  readonly appendTimeoutMs?: number;
  /** How long the server may be silent before its connections are given up. Default 10 seconds. */
  readonly silenceTimeoutMs?: number;
}

const DEFAULTS: Required<TimeLimitOptions> = {
  statementTimeoutMs: 30_000,
  appendTimeoutMs: 10_000,
  silenceTimeoutMs: 10_000,
};
/** Limits a migration, or a statement over all rows of a table. */
const PATIENT_MS = 3_600_000;
/** PostgreSQL holds its timeouts in 32 bits. */
const LONGEST_MS = 2_147_483_647;

export function timeLimits(url: string, options: TimeLimitOptions): { limits: Limits; silenceMs: number } {
  const parameters = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const limit = (name: keyof TimeLimitOptions): number =>
    checked(name, options[name] ?? Number(parameters.get(name) ?? DEFAULTS[name]));
  const [statement, append] = [limit("statementTimeoutMs"), limit("appendTimeoutMs")];
  return { limits: { statement, append, patient: PATIENT_MS }, silenceMs: limit("silenceTimeoutMs") };
}

function checked(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0 && value <= LONGEST_MS) return value;
  throw new InputError("OPTION_INVALID", name, `must be a whole number of milliseconds from 1 to ${LONGEST_MS}.`);
}
