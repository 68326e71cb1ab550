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
  SCHEMA_MISMATCH: "fix-input",
  ACTION_UNKNOWN: "fix-input",
  ARTIFACT_NOT_FOUND: "fix-input",
  SECRET_NOT_FOUND: "fix-input",
  SECRET_TOO_SHORT: "fix-input",
  STORE_URL_INVALID: "fix-input",
  STORE_NOT_CHOSEN: "fix-input",
  CONFIG_NOT_FOUND: "fix-input",
  CONFIG_INVALID: "fix-input",
  WORKFLOW_NOT_FOUND: "fix-input",

  PLAN_CYCLE: "fix-input",
  PLAN_UNKNOWN_STEP: "fix-input",
  PLAN_DUPLICATE_ID: "fix-input",
  PLAN_ID_INVALID: "fix-input",
  PLAN_ID_TOO_LONG: "fix-input",
  PLAN_OUT_OF_SCOPE: "fix-input",
  PLAN_FOREIGN_HANDLE: "fix-input",
  PLAN_NEVER_RUNS: "fix-input",
  PLAN_UNKNOWN_KIND: "fix-input",
  PLAN_OPTION_INVALID: "fix-input",
  PLAN_SYNTAX: "fix-input",
  PLAN_UNKNOWN_FIELD: "fix-input",
  PLAN_EXPRESSION_INVALID: "fix-input",
  PLAN_VERSION_TAKEN: "fix-input",

  OUTCOME_UNKNOWN: "retry",
  STORE_UNAVAILABLE: "retry",
  STORE_BUSY: "retry",
  SIGNAL_LIMIT: "retry",

  STALE_LEASE: "stop",
  SEQ_MISMATCH: "stop",
  RUN_ARCHIVED: "stop",
  APPEND_PARTIAL: "stop",
  APPEND_WITHDRAWN: "stop",
  REQUEST_CHANGED: "stop",
  SCHEDULE_CHANGED: "stop",
  RUN_FAILED: "stop",
  SIGNAL_REJECTED: "stop",
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
