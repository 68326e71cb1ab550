export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly requestId?: string;
  readonly error?: unknown;
}
