export type * from "@runledger/contracts"; // signatures of this package mention these types
export { InputError, RetryError, RunledgerError, StopError } from "@runledger/contracts";
export { actions } from "@runledger/core";
export type {
  Action,
  Admission,
  DefinitionDataset,
  DefinitionDatasets,
  Duration,
  Explanation,
  LimitReason,
  WaitReason,
} from "@runledger/core";
export { encryptedStore } from "./encryption/encrypted-store.js";
export type { EncryptionOptions } from "./encryption/keyring.js";
export type { EncryptionSettings } from "./encryption/resolve-encryption.js";
export type { EraseLabelOptions, EraseOptions, ErasedRuns, LedgerErasure } from "./erasure/ledger-erasure.js";
export type { SpoolOptions, StateStoreOptions } from "./engine/budget/budget-options.js";
export type { PublishedRights } from "./engine/published-rights.js";
export type { Alert as WorkerAlert } from "./engine/run-context.js";
export type { InnerSteps, Runner, RunnerOptions, Task, TenantSettings } from "./engine/runners.js";
export type { StepContext } from "./engine/step-context.js";
export { secret, type SecretReference } from "./workflow/secret-reference.js";
export { FatalStepError, StepError } from "./workflow/step-errors.js";
export type {
  ArtifactBody,
  ArtifactSource,
  StepArtifacts,
  StepDatasets,
  StepProgress,
  StepSecrets,
  StepTools,
  TextOrReference,
  TextOrSecret,
} from "./workflow/step-tools.js";
export type { Fault, Worker, WorkerOptions } from "./engine/worker.js";
export { followLog, readArtifact, type ReadOptions } from "./artifacts/read-artifact.js";
export { connect } from "./ledger/connect.js";
export type {
  BackfilledPartition,
  PartitionBackfill,
  PartitionBackfillOptions,
} from "./partitions/backfill-partitions.js";
export type { LedgerPartitions, PartitionList, PartitionPlaceOptions } from "./partitions/ledger-partitions.js";
export type { PartitionBounds, PartitionSelection } from "./partitions/select-partitions.js";
export type { ForkOptions } from "./runs/fork-plan.js";
export type { ForkPreview } from "./runs/fork-run.js";
export type { AlertOptions, AlertWebhook } from "./alerts/alert-webhook.js";
export type { Engine } from "./engine/engine.js";
export type {
  Ledger,
  LedgerConsumerOptions,
  LedgerOptions,
  LedgerOutboxOptions,
  LedgerWorkerOptions,
} from "./ledger/ledger.js";
export type { ListOptions, PageOptions, RunList } from "./ledger/run-list.js";
export { RunFailedError, type RunHandle } from "./ledger/run-handle.js";
export type { SendOptions } from "./runs/signals.js";
export { SignalRejectedError } from "./runs/signals.js";
export type { PositionalStartArguments, StartArguments, StartParams } from "./runs/start-arguments.js";
export type { StartOptions } from "./runs/start-run.js";
export type { Labels, MetricFamily, MetricKind, Sample } from "./telemetry/metric-family.js";
export type { LogFields, Logger } from "./telemetry/logger.js";
export type { Metrics } from "./telemetry/metrics.js";
export { openMetrics } from "./telemetry/open-metrics.js";
export type { LedgerLimits, LedgerQueue, LimitOptions, QueueAnswer, WhyOptions } from "./queue/ledger-queue.js";
export { RunQueueReconciler, type Reconciled, type ReconcilerOptions } from "./queue/reconciler.js";
export type { Cleaner, CleanerOptions } from "./retention/cleaner.js";
export type { DueGroup } from "./retention/due-report.js";
export type {
  LedgerRetention,
  RetentionPolicyOptions,
  RetentionRunOptions,
  RetentionTargetOptions,
} from "./retention/ledger-retention.js";
export type { RetentionResult } from "./retention/retention-pass.js";
export type { BackfillOptions, BackfillTick } from "./scheduler/backfill.js";
export type { ScheduleOptions } from "./scheduler/definition.js";
export type { InputOption, LedgerSchedules } from "./scheduler/ledger-schedules.js";
export type { TenantOption } from "./scheduler/save-schedule.js";
export type { TimingOptions } from "./scheduler/read-timing.js";
export { Scheduler, type SchedulerFault, type SchedulerOptions } from "./scheduler/scheduler.js";
export type { Alert as ProjectorAlert } from "./projector/alerts.js";
export type { OutboxAlert } from "./outbox/alerts.js";
export type { BusOptions } from "./outbox/bus-factories.js";
export type { CloudEvent } from "./outbox/cloud-event.js";
export {
  BusUnavailableError,
  inProcessBus,
  type BusContext,
  type BusFactory,
  type BusMessage,
  type EventBus,
} from "./outbox/event-bus.js";
export { kafkaBus, type KafkaBusOptions } from "./outbox/kafka/kafka-bus.js";
export { natsBus, type NatsBusOptions } from "./outbox/nats/nats-bus.js";
export { redisBus, type RedisBusOptions } from "./outbox/redis/redis-bus.js";
export type {
  InspectedDeadLetter,
  LedgerSubscriptions,
  SubscriptionOptions,
  SubscriptionTenantOption,
  TestResult,
} from "./outbox/ledger-subscriptions.js";
export type { Outbox, OutboxOptions } from "./outbox/outbox.js";
export type { StartFrom } from "./outbox/read-options.js";
export type { Projector, ProjectorOptions } from "./projector/projector.js";
export { cachedSecrets } from "./secrets/cached-secrets.js";
export { chainSecrets } from "./secrets/chain-secrets.js";
export { AwsSecrets, type AwsSecretsOptions } from "./secrets/cloud/aws-secrets.js";
export { AzureSecrets, type AzureSecretsOptions } from "./secrets/cloud/azure-secrets.js";
export { GcpSecrets, type GcpSecretsOptions } from "./secrets/cloud/gcp-secrets.js";
export type { SecretContext, SecretRef } from "@runledger/contracts";
export { EnvSecrets } from "./secrets/env-secrets.js";
export { FileSecrets, type FileSecretsOptions } from "./secrets/file-secrets.js";
export type { ManagedSecrets, NewSecret, SecretInfo } from "./secrets/managed-secrets.js";
export { PostgresSecrets, type PostgresSecretsOptions } from "./secrets/postgres/postgres-secrets.js";
export { scopedSecrets, type SecretScope } from "./secrets/scoped-secrets.js";
export { VaultSecrets, type VaultSecretsOptions } from "./secrets/vault/vault-secrets.js";
export type { VaultAuth } from "./secrets/vault/vault-session.js";
export type { Timers } from "./time/timers.js";
export type { DatasetTenantOption, LedgerDatasets, ListDatasetsOptions } from "./datasets/ledger-datasets.js";
export type {
  DatasetDetail,
  DatasetNeighbor,
  DatasetUseView,
  DatasetView,
  Freshness,
} from "./datasets/view-dataset.js";
export type { TriggerAlert } from "./triggers/alerts.js";
export type { ConsumerOptions, Consumers } from "./triggers/consumers.js";
export type {
  ConsumeParams,
  EventSource,
  SourceContext,
  SourceFactory,
  SourceMessage,
} from "./triggers/event-source.js";
export { kafkaSource, type KafkaSourceOptions } from "./triggers/kafka/kafka-source.js";
export type { LedgerTriggers, TriggerSetup, TriggerTest } from "./triggers/ledger-triggers.js";
export { natsSource, type NatsSourceOptions } from "./triggers/nats/nats-source.js";
export type { TriggerOptions, TriggerTenantOption } from "./triggers/read-trigger.js";
export type { ReceivedMessage } from "./triggers/received-event.js";
export { redisSource, type RedisSourceOptions } from "./triggers/redis/redis-source.js";
export type { EventOutcome } from "./triggers/start-for-event.js";
export type { WebhookRequest } from "./triggers/webhook/webhook-receiver.js";
export type { AnySchema, Schema, SchemaIn, SchemaOut } from "./workflow/schema.js";
export type { NotJson, Returns, Serializable } from "./workflow/serializable.js";
export type * from "./workflow/types.js";
export { workflow } from "./workflow/workflow.js";
export { loadWorkflow, type LoadedWorkflow, type LoadOptions } from "./yaml/load-workflow.js";
