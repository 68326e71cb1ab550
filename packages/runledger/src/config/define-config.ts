import type { Json } from "@runledger/contracts";
import type { EngineConfig } from "./engine-config.js";
import type { ServerConfig } from "./server-config.js";
import type { AlertOptions } from "@runledger/runtime/alerts/alert-webhook";
import type { EncryptionSettings } from "@runledger/runtime/encryption/resolve-encryption";
import type { LedgerConsumerOptions, LedgerOutboxOptions } from "@runledger/runtime/ledger/ledger";
import type { WorkerOptions } from "@runledger/runtime/engine/worker";

/** The configuration of a project, in `runledger.config.ts`. */
export interface RunledgerConfig {
  /** Patterns of workflow files, relative to this file. All workflows that these modules export are loaded. */
  readonly workflows: readonly string[];
  /** URL of the store, such as `postgres://…?partitions=16`. `--store` and RUNLEDGER_STORE take precedence. */
  readonly store?: string;
  /**
   * The engine that executes the runs. `--engine` and RUNLEDGER_ENGINE take precedence. Default: the workers' own
   * processes.
   */
  readonly engine?: EngineConfig;
  /** Options of the project's workers, such as runners for custom step kinds. */
  readonly worker?: Omit<WorkerOptions, "workflows">;
  /** Lets `runledger worker` serve `/healthz` and `/metrics`. `--health-port` takes precedence. Default: it does not. */
  readonly health?: HealthConfig;
  /** Level and format of the log of `dev`, `serve` and `worker`. */
  readonly log?: LogConfig;
  /** Options of `runledger serve`. */
  readonly server?: ServerConfig;
  /**
   * Folder, or `s3://bucket/prefix`, to which retention copies finished runs before it archives or deletes them.
   * RUNLEDGER_ARCHIVE takes precedence. Default: runs are not copied.
   */
  readonly archive?: string;
  /**
   * Where steps write artifacts: `store:`, a folder such as `file:./artifacts`, or a bucket such as `s3://bucket/prefix`, `gs://…`
   * or `azure://…`. RUNLEDGER_ARTIFACTS takes precedence. Default: `store:`.
   */
  readonly artifacts?: string;
  /** Encrypts payloads before they reach the store. Default: keys of the environment, else nothing is encrypted. */
  readonly encryption?: EncryptionSettings;
  /** Buses of subscriptions, and the addresses that webhooks may call. */
  readonly outbox?: OutboxConfig;
  /** Sources of triggers, and the keys of their webhooks. */
  readonly triggers?: TriggersConfig;
  /** Webhook that receives the alerts of `dev`, `serve` and `worker`. RUNLEDGER_ALERT_WEBHOOK takes precedence. */
  readonly alerts?: AlertOptions;
  /** Sample runs that `dev` starts once per store. */
  readonly samples?: readonly SampleRun[];
}

export interface HealthConfig {
  /** Port to listen on. 0 selects a free port. */
  readonly port: number;
  /** Address to listen on. Callers need no key, so keep it inside your network. Defaults to 127.0.0.1. */
  readonly host?: string;
}

export interface LogConfig {
  /** Lines below this level are left out. RUNLEDGER_LOG_LEVEL takes precedence. Default `info`. */
  readonly level?: "debug" | "info" | "warn" | "error" | "silent";
  /** RUNLEDGER_LOG_FORMAT takes precedence. Default: `pretty` for `dev`, `json` for other processes. */
  readonly format?: "json" | "pretty";
}

/** Options of the processes that deliver events to subscriptions. */
export type OutboxConfig = Pick<LedgerOutboxOptions, "allowAddresses" | "buses" | "secrets">;

/** Options of the processes that start runs for events. */
export type TriggersConfig = Pick<LedgerConsumerOptions, "sources" | "secrets">;

export interface SampleRun {
  /** `dev` starts one run per name and store. */
  readonly name: string;
  /** Id of the workflow. */
  readonly workflow: string;
  readonly input?: Json;
  /** Actions to send after the start, such as APPROVE. */
  readonly actions?: readonly string[];
  /** Signals to send after the start, by name. The run keeps them until a step waits for them. */
  readonly signals?: Readonly<Record<string, Json>>;
  /** Short description that `dev` prints. */
  readonly shows?: string;
}

/** Returns the configuration unchanged. It gives editors the type. */
export function defineConfig(config: RunledgerConfig): RunledgerConfig {
  return config;
}
