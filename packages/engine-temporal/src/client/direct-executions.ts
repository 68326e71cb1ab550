/** Starts and wakes the executions of runs that have no queue. Needs no worker in this process. */
import { omitUndefined, RetryError } from "@runledger/contracts";
import type { Executions } from "@runledger/runtime/engine/engine";
import { Client, WorkflowExecutionAlreadyStartedError, type Connection } from "@temporalio/client";
import { WAKE, WORKFLOW_TYPE, type RunInput } from "../messages.js";
import { executionOf, type TemporalSettings } from "../settings.js";
import { dataConverterOf } from "./data-converter.js";
import { openConnection } from "./open-connection.js";
import { definedAttributes } from "./search-attributes.js";

/** How long the SDK repeats a call while the cluster does not respond. */
const LONGEST_TRY_MS = 10_000;

interface ExecutionOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: [RunInput];
}

export class DirectExecutions implements Executions {
  readonly #settings: TemporalSettings;
  readonly #connection: Connection;
  readonly #client: Client;

  static async connect(settings: TemporalSettings): Promise<DirectExecutions> {
    const dataConverter = dataConverterOf(settings.payloadKeys); // wrong keys are refused before anything is connected
    const connection = openConnection(settings);
    const defined = await definedAttributes(connection, settings.namespace);
    const searchAttributes = defined.length === 0 ? undefined : defined;
    const client = new Client({ connection, namespace: settings.namespace, dataConverter });
    return new DirectExecutions({ ...settings, ...omitUndefined({ searchAttributes }) }, connection, client);
  }

  private constructor(settings: TemporalSettings, connection: Connection, client: Client) {
    this.#settings = settings;
    this.#connection = connection;
    this.#client = client;
  }

  /** The run's id is the id of its execution, so a cluster has at most one open execution of it. */
  async start(runId: string): Promise<void> {
    await this.#insist(runId, async () => {
      await this.#client.workflow.start(WORKFLOW_TYPE, this.#optionsOf(runId)).catch((error: unknown) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
    });
  }

  async wake(runId: string): Promise<void> {
    const options = { ...this.#optionsOf(runId), signal: WAKE };
    await this.#insist(runId, () => this.#client.workflow.signalWithStart(WORKFLOW_TYPE, options));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #optionsOf(runId: string): ExecutionOptions {
    const { taskQueue } = this.#settings;
    return { workflowId: runId, taskQueue, args: [{ runId, settings: executionOf(this.#settings), isDirect: true }] };
  }

  async #insist(runId: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await this.#connection.withDeadline(Date.now() + LONGEST_TRY_MS, call);
    } catch (error) {
      throw unavailable(this.#settings.address, runId, error);
    }
  }
}

function unavailable(address: string, runId: string, cause: unknown): RetryError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The Temporal server at ${address} did not execute run ${runId}: ${reason}. The run is recorded. Repeat the start with the same requestId.`;
  return new RetryError("ENGINE_UNAVAILABLE", message, { cause });
}
