import { readInterface, table } from "./read-interface.js";

const CONFIG = "packages/runledger/src/config";

const BUDGET = "packages/runtime/src/engine/budget/budget-options.ts";

const SECTIONS = [
  ["runledger.config.ts", `${CONFIG}/define-config.ts`, "RunledgerConfig"],
  ["samples", `${CONFIG}/define-config.ts`, "SampleRun"],
  ["health", `${CONFIG}/define-config.ts`, "HealthConfig"],
  ["encryption", "packages/runtime/src/encryption/resolve-encryption.ts", "EncryptionSettings"],
  ["server", `${CONFIG}/server-config.ts`, "ServerConfig"],
  ["server.cache", "packages/runtime/src/cache/open-cache.ts", "CacheSettings"],
  ["server.jwt", "packages/server/src/auth/jwt.ts", "JwtOptions"],
  ["server.limits", "packages/server/src/quotas/quota-options.ts", "QuotaOptions"],
  ["server.limits: fields of key, tenant and address", "packages/server/src/quotas/quota-options.ts", "Quota"],
  ['engine: { kind: "temporal" }', "packages/runtime/src/engine/temporal-options.ts", "TemporalOptions"],
  ["alerts", "packages/runtime/src/alerts/alert-webhook.ts", "AlertOptions"],
  ["alerts.webhook", "packages/runtime/src/alerts/alert-webhook.ts", "AlertWebhook"],
  ["worker", "packages/runtime/src/engine/worker.ts", "WorkerOptions"],
  ["worker: options for steps", "packages/runtime/src/engine/runners.ts", "RunnerOptions"],
  ["worker.stateStore", BUDGET, "StateStoreOptions"],
  ["worker.stateStore.spool", BUDGET, "SpoolOptions"],
  ["worker.allowPublished", "packages/runtime/src/engine/published-rights.ts", "PublishedRights"],
] as const;

/** Environment variables that Runledger reads. A test compares the names with the sources. */
export const VARIABLES: Readonly<Record<string, string>> = {
  RUNLEDGER_STORE: "the store; `--store` overrides it, and it overrides `store` of the configuration",
  RUNLEDGER_ARTIFACTS:
    "where steps write artifacts: `store:`, `file:…`, `s3://…`, `gs://…` or `azure://…`; it overrides `artifacts` of the configuration",
  RUNLEDGER_ARCHIVE: "the archive of files that retention copies runs to; it overrides `archive` of the configuration",
  RUNLEDGER_ALERT_WEBHOOK: "`alerts.webhook.url`",
  RUNLEDGER_ALERT_WEBHOOK_SECRETS: "`alerts.webhook.secrets`, separated by commas",
  RUNLEDGER_ENGINE: "the engine of workers, like `--engine`; it overrides `engine` of the configuration",
  RUNLEDGER_TEMPORAL_API_KEY: "the API key of the Temporal cluster; workers remove it from their environment",
  RUNLEDGER_TEMPORAL_KEYS:
    "keys that encrypt payloads on the Temporal cluster, as `id:base64,…`, the newest first; workers remove it from their environment",
  RUNLEDGER_TEMPORAL_KEYS_FILE: "file with the same keys, one per line",
  RUNLEDGER_ENCRYPTION_KEYS:
    "keys that encrypt payloads in the store, as `id:base64,…`, the newest first; workers remove it from their environment",
  RUNLEDGER_ENCRYPTION_KEYS_FILE: "file with the same keys, one per line",
  RUNLEDGER_CACHE: "`server.cache.url`, such as `redis://host:6379`",
  RUNLEDGER_SERVER: "the server to use instead of a store, like `--server`",
  RUNLEDGER_KEY: "the API key for the server, like `--key`",
  RUNLEDGER_SECRET_: "followed by the name of a secret: the value that `EnvSecrets` resolves it to",
  RUNLEDGER_JWT_ISSUER: "`server.jwt.issuer`",
  RUNLEDGER_JWT_AUDIENCE: "`server.jwt.audience`",
  RUNLEDGER_JWT_JWKS_URL: "`server.jwt.jwksUrl`",
  RUNLEDGER_JWT_ROLE_CLAIM: "`server.jwt.roleClaim`",
  RUNLEDGER_JWT_TENANT_CLAIM: "`server.jwt.tenantClaim`",
  RUNLEDGER_JWT_TENANT: "`server.jwt.defaultTenant`",
  RUNLEDGER_LOG_LEVEL: "`log.level`; in programs that use the library: `warn` by default",
  RUNLEDGER_LOG_FORMAT: "`log.format`",
  RUNLEDGER_DEBUG: "`1` prints the stack trace of an unexpected error",
};

/** Set for programs of `command` steps. */
export const FOR_COMMANDS: Readonly<Record<string, string>> = {
  RUNLEDGER_RUN_ID: "the run",
  RUNLEDGER_STEP_ID: "the step",
  RUNLEDGER_ATTEMPT: "the attempt of the step, from 1",
  RUNLEDGER_IDEMPOTENCY_KEY: "the same for all attempts of the step",
  RUNLEDGER_ATTEMPT_KEY: "different for each attempt",
};

export function configurationReference(): string {
  return `<!-- Generated from the types of packages/runledger/src/config. Do not edit. -->

# Configuration

\`runledger.config.ts\` configures a project. Every command searches for it from the working directory upwards, or uses the file passed with
\`--config\`. Options of the command line override environment variables, and these override the file.

${SECTIONS.map(([title, file, name]) => section(title, file, name)).join("\n\n")}

## Stores

| store | |
| --- | --- |
| \`embedded:<folder>\` | an embedded PostgreSQL in a folder; \`embedded:.runledger\` is the default unless \`NODE_ENV\` is \`production\` |
| \`postgres://…\` | your PostgreSQL, 14 or later |
| \`memory:\` | in memory, for this process only |

[Parameters](../guides/deploy.md#the-database) of a \`postgres://\` URL set time limits, the number of hash partitions and the
[append authority](../guides/append-authorities.md):
\`postgres://…?partitions=16&statementTimeoutMs=60000\`.

## Variables

${variables(VARIABLES)}

\`NODE_ENV=production\` loads only compiled JavaScript and has no default store. \`NO_COLOR\` turns colors off.

## Variables that commands get

${variables(FOR_COMMANDS)}

A command also inherits the worker's \`PATH\`, \`HOME\` and \`LANG\`, and the variables that its step names.
`;
}

function section(title: string, file: string, name: string): string {
  const { says, members } = readInterface(file, name)!;
  const shown = members.filter((member) => !(name === "WorkerOptions" && member.name === "workflows"));
  return [`## ${title}`, ...(says === "" ? [] : [says]), table(shown)].join("\n\n");
}

function variables(all: Readonly<Record<string, string>>): string {
  const rows = Object.entries(all).map(([name, says]) => `| \`${name}\` | ${says} |`);
  return ["| variable | |", "| --- | --- |", ...rows].join("\n");
}
