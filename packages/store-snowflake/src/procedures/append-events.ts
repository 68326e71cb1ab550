/**
 * APPEND_EVENTS and APPEND_EVENT, as they run inside Snowflake, with the checks, statements and results of the store.
 */
import { checkEvent, newEvent, type AppendOptions, type AppendResult, type NewEvent } from "@runledger/contracts";
import { prepareCall, resultsOf } from "@runledger/core/store";
import { toOutcomes } from "../append-results.js";
import { appendLock } from "../append-lock.js";
import { appendAnswer, appendCalls } from "../append-slow.js";
import type { Call, Row } from "../client.js";
import type { Shape } from "../connection-url.js";
import { sessionTables } from "../session-tables.js";

/** The part of a procedure's API that is used. Columns count from 1. */
export interface SnowflakeApi {
  execute(statement: { readonly sqlText: string; readonly binds: readonly unknown[] }): {
    next(): boolean;
    getColumnCount(): number;
    getColumnValue(column: number): unknown;
  };
}

export interface ProcedureOptions extends AppendOptions {
  readonly tenantId?: string;
}

export function appendEvents(
  snowflake: SnowflakeApi,
  shape: Shape,
  events: readonly NewEvent[],
  options: ProcedureOptions = {},
): readonly AppendResult[] {
  const { tenantId, ...conditions } = options;
  const call = prepareCall(events, conditions, { tenantId });
  if (call.runs.length === 0) return [];
  for (const text of sessionTables) run(snowflake, { text });
  inTransaction(snowflake, [...appendLock(shape), ...appendCalls(call.runs)]);
  return resultsOf(call, toOutcomes(call.runs, run(snowflake, appendAnswer)));
}

function inTransaction(snowflake: SnowflakeApi, calls: readonly Call[]): void {
  run(snowflake, { text: "BEGIN" });
  try {
    for (const call of calls) run(snowflake, call);
  } catch (error) {
    run(snowflake, { text: "ROLLBACK" });
    throw error;
  }
  run(snowflake, { text: "COMMIT" });
}

function run(snowflake: SnowflakeApi, { text, values = [] }: Call): Row[] {
  const result = snowflake.execute({ sqlText: text, binds: values });
  const rows: Row[] = [];
  while (result.next())
    rows.push(
      Array.from({ length: result.getColumnCount() }, (_, column) => result.getColumnValue(column + 1) ?? null),
    );
  return rows;
}

/** The parameters of the specification, and those of the plan, which the key needs. */
export interface OneEvent {
  readonly runId: string;
  readonly eventId: string;
  readonly stepId?: string;
  readonly engineAttemptId?: string;
  readonly logicalAttemptId: string;
  readonly eventType: string;
  readonly eventData?: unknown;
  readonly idempotencyKey: string;
  readonly causedBySignalId?: string;
  readonly parentEventId?: string;
  readonly emittedAt: Date | string;
  readonly adapterVersion?: string;
  readonly engineRunRef?: unknown;
  readonly planVersion: string;
  readonly planId?: string;
}

export function appendEvent(snowflake: SnowflakeApi, shape: Shape, given: OneEvent): object {
  const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const emittedAt = new Date(given.emittedAt).toISOString();
  const event = { eventData: null, ...Object.fromEntries(said), emittedAt } as unknown as NewEvent;
  checkEvent(event); // also checks that the key matches its parts
  const [result] = appendEvents(snowflake, shape, [newEvent(event)]);
  return { RUN_SEQ: result!.runSeq, IDEMPOTENT: result!.idempotent, PERSISTED: result!.persisted };
}
