/** Refuses unknown keys in a configuration. A misspelled `store` would otherwise select the embedded store. */
import { InputError } from "@runledger/contracts";
import { unknownOption, workerOptionNames } from "@runledger/runtime/ledger/known-options";
import type { AlertOptions, AlertWebhook } from "@runledger/runtime/alerts/alert-webhook";
import type { CacheSettings } from "@runledger/runtime/cache/open-cache";
import type { EncryptionSettings } from "@runledger/runtime/encryption/resolve-encryption";
import type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
import type { JwtOptions, Quota, QuotaOptions } from "@runledger/server";
import type {
  HealthConfig,
  LogConfig,
  OutboxConfig,
  RunledgerConfig,
  SampleRun,
  TriggersConfig,
} from "./define-config.js";
import type { ServerConfig } from "./server-config.js";

/** Every key of a type: a missing or an extra one does not compile. */
type Keys<T> = Readonly<Record<keyof T, true>>;

const CONFIG: Keys<RunledgerConfig> = {
  workflows: true,
  store: true,
  engine: true,
  worker: true,
  health: true,
  log: true,
  server: true,
  archive: true,
  artifacts: true,
  encryption: true,
  outbox: true,
  triggers: true,
  alerts: true,
  samples: true,
};
const SERVER: Keys<ServerConfig> = {
  allowedHosts: true,
  jwt: true,
  selfApproval: true,
  authorize: true,
  trustProxy: true,
  auditRetentionDays: true,
  limits: true,
  cache: true,
};
const CACHE: Keys<CacheSettings> = { url: true, maxBytes: true, ttlSeconds: true, timeoutMs: true, prefix: true };
const ENCRYPTION: Keys<EncryptionSettings> = { keys: true, keysFile: true, kms: true, lostKeys: true };
const HEALTH: Keys<HealthConfig> = { port: true, host: true };
const LOG: Keys<LogConfig> = { level: true, format: true };
const OUTBOX: Keys<OutboxConfig> = { allowAddresses: true, buses: true, secrets: true };
const TRIGGERS: Keys<TriggersConfig> = { sources: true, secrets: true };
const ALERTS: Keys<AlertOptions> = { webhook: true, allowAddresses: true, secrets: true };
const ALERT_WEBHOOK: Keys<AlertWebhook> = { url: true, secrets: true };
const LIMITS: Keys<QuotaOptions> = { key: true, tenant: true, address: true };
const QUOTA: Keys<Quota> = { requestsPerSecond: true, bytesPerSecond: true, startsPerSecond: true, streams: true };
const ENGINE: Keys<TemporalOptions & { kind: string }> = {
  kind: true,
  address: true,
  namespace: true,
  taskQueue: true,
  tls: true,
  apiKey: true,
  payloadKeys: true,
  uiUrl: true,
  continueAfterSteps: true,
  continueAfterBytes: true,
  heartbeatTimeoutMs: true,
  maxActivities: true,
};
const SAMPLE: Keys<SampleRun> = { name: true, workflow: true, input: true, actions: true, signals: true, shows: true };
const JWT: Keys<JwtOptions> = {
  issuer: true,
  audience: true,
  jwksUrl: true,
  roleClaim: true,
  tenantClaim: true,
  defaultTenant: true,
  allTenants: true,
  clockToleranceSeconds: true,
  cooldownMs: true,
};
export function checkKeys(file: string, config: RunledgerConfig): void {
  const { engine, worker, health, log, server, encryption, outbox, triggers, alerts, samples = [] } = config;
  refuseUnknown(file, "", config, Object.keys(CONFIG));
  refuseUnknown(file, "engine.", engine, Object.keys(ENGINE));
  refuseUnknown(file, "worker.", worker, workerOptionNames);
  refuseUnknown(file, "health.", health, Object.keys(HEALTH));
  refuseUnknown(file, "log.", log, Object.keys(LOG));
  refuseUnknown(file, "server.", server, Object.keys(SERVER));
  refuseUnknown(file, "server.jwt.", server?.jwt, Object.keys(JWT));
  refuseUnknown(file, "server.limits.", server?.limits, Object.keys(LIMITS));
  refuseUnknown(file, "server.cache.", server?.cache, Object.keys(CACHE));
  refuseUnknown(file, "encryption.", encryption, Object.keys(ENCRYPTION));
  refuseUnknown(file, "outbox.", outbox, Object.keys(OUTBOX));
  refuseUnknown(file, "triggers.", triggers, Object.keys(TRIGGERS));
  refuseUnknown(file, "alerts.", alerts, Object.keys(ALERTS));
  refuseUnknown(file, "alerts.webhook.", alerts?.webhook, Object.keys(ALERT_WEBHOOK));
  for (const [kind, quota] of Object.entries(server?.limits ?? {}) as [string, Quota][])
    refuseUnknown(file, `server.limits.${kind}.`, quota, Object.keys(QUOTA));
  for (const [index, sample] of samples.entries())
    refuseUnknown(file, `samples[${index}].`, sample, Object.keys(SAMPLE));
}

function refuseUnknown(file: string, prefix: string, given: object | undefined, known: readonly string[]): void {
  const problem = unknownOption(given ?? {}, known, prefix);
  if (problem !== null) throw new InputError("CONFIG_INVALID", file, problem);
}
