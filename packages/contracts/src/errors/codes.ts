/** What the caller should do about an error. */
export type ErrorFamily = "retry" | "fix-input" | "stop";

/** Every code and its family, in one place. Each has a page: docs/errors/<CODE>.md. */
export const errorCodes = {
  IDENTIFIER_INVALID: "fix-input",
  EVENT_INVALID: "fix-input",
  EVENT_UNKNOWN_FIELD: "fix-input",
  IDEMPOTENCY_KEY_MISMATCH: "fix-input",
  PAYLOAD_NOT_JSON: "fix-input",
  PAYLOAD_TOO_LARGE: "fix-input",
  OPTION_INVALID: "fix-input",
  RUN_NOT_FOUND: "fix-input",

  OUTCOME_UNKNOWN: "retry",
  STORE_UNAVAILABLE: "retry",
  STORE_BUSY: "retry",

  STALE_LEASE: "stop",
  SEQ_MISMATCH: "stop",
  RUN_ARCHIVED: "stop",
  APPEND_PARTIAL: "stop",
  APPEND_WITHDRAWN: "stop",
  STORE_CLOSED: "stop",
  STORE_FAULT: "stop",
  SCHEMA_TOO_NEW: "stop",
  SCHEMA_BEHIND: "stop",
  EMBEDDED_UNSUPPORTED: "stop",
  EMBEDDED_UNREACHABLE: "stop",
  EMBEDDED_PERMISSION: "stop",
  EMBEDDED_DISK_FULL: "stop",
  EMBEDDED_OTHER_VERSION: "stop",
  EMBEDDED_START_FAILED: "stop",
} as const satisfies Record<string, ErrorFamily>;

export type ErrorCode = keyof typeof errorCodes;
export type CodeOf<F extends ErrorFamily> = {
  [C in ErrorCode]: (typeof errorCodes)[C] extends F ? C : never;
}[ErrorCode];
