/** Loads the module of a command on demand. Help loads all of them. */
import type { Command } from "commander";

type LoadCommand = () => Promise<(program: Command) => void>;

const actions: LoadCommand = async () => (await import("./action-commands.js")).addActionCommands;

/** In the order of the help. */
export const commandLoaders: ReadonlyMap<string, LoadCommand> = new Map([
  ["init", async () => (await import("./init-command.js")).addInitCommand],
  ["dev", async () => (await import("./dev-command.js")).addDevCommand],
  ["run", async () => (await import("./run-command.js")).addRunCommand],
  ["watch", async () => (await import("./watch-command.js")).addWatchCommand],
  ["show", async () => (await import("./show-command.js")).addShowCommand],
  ["result", async () => (await import("./result-command.js")).addResultCommand],
  ["runs", async () => (await import("./runs-command.js")).addRunsCommand],
  ["events", async () => (await import("./events-command.js")).addEventsCommand],
  ["artifacts", async () => (await import("./artifacts-command.js")).addArtifactsCommand],
  ["logs", async () => (await import("./logs-command.js")).addLogsCommand],
  ["signal", async () => (await import("./signal-command.js")).addSignalCommand],
  ["approve", actions],
  ["pause", actions],
  ["resume", actions],
  ["cancel", actions],
  ["compensate", actions],
  ["retry", actions],
  ["skip", actions],
  ["bulk", async () => (await import("./bulk-command.js")).addBulkCommand],
  ["fork", async () => (await import("./fork-command.js")).addForkCommand],
  ["erase", async () => (await import("./erase-command.js")).addEraseCommand],
  ["diff", async () => (await import("./diff-command.js")).addDiffCommand],
  ["queue", async () => (await import("./queue-command.js")).addQueueCommand],
  ["schedules", async () => (await import("./schedules-command.js")).addSchedulesCommand],
  ["partitions", async () => (await import("./partitions-command.js")).addPartitionsCommand],
  ["outbox", async () => (await import("./outbox-command.js")).addOutboxCommand],
  ["triggers", async () => (await import("./triggers-command.js")).addTriggersCommand],
  ["datasets", async () => (await import("./datasets-command.js")).addDatasetsCommand],
  ["workflows", async () => (await import("./workflows-command.js")).addWorkflowsCommand],
  ["validate", async () => (await import("./validate-command.js")).addValidateCommand],
  ["workers", async () => (await import("./workers-command.js")).addWorkersCommand],
  ["worker", async () => (await import("./worker-command.js")).addWorkerCommand],
  ["serve", async () => (await import("./serve-command.js")).addServeCommand],
  ["keys", async () => (await import("./keys-command.js")).addKeysCommand],
  ["explain", async () => (await import("./explain-command.js")).addExplainCommand],
  ["mcp", async () => (await import("./mcp-command.js")).addMcpCommand],
  ["secrets", async () => (await import("./secrets-command.js")).addSecretsCommand],
  ["audit", async () => (await import("./audit-command.js")).addAuditCommand],
  ["doctor", async () => (await import("./doctor-command.js")).addDoctorCommand],
  ["store", async () => (await import("./store-command.js")).addStoreCommand],
  ["completion", async () => (await import("./completion-command.js")).addCompletionCommand],
]);
