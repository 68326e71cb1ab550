/** Where each verb is said and done. One that was typed is loaded alone; whoever asks for help loads them all. */
import type { Command } from "commander";

type LoadVerb = () => Promise<(program: Command) => void>;

const actions: LoadVerb = async () => (await import("./action-commands.js")).addActionCommands;

/** In the order in which help shows them. */
export const verbs: ReadonlyMap<string, LoadVerb> = new Map([
  ["init", async () => (await import("./init-command.js")).addInitCommand],
  ["dev", async () => (await import("./dev-command.js")).addDevCommand],
  ["run", async () => (await import("./run-command.js")).addRunCommand],
  ["watch", async () => (await import("./watch-command.js")).addWatchCommand],
  ["runs", async () => (await import("./runs-command.js")).addRunsCommand],
  ["events", async () => (await import("./events-command.js")).addEventsCommand],
  ["logs", async () => (await import("./logs-command.js")).addLogsCommand],
  ["signal", async () => (await import("./signal-command.js")).addSignalCommand],
  ["approve", actions],
  ["pause", actions],
  ["resume", actions],
  ["cancel", actions],
  ["retry", actions],
  ["skip", actions],
  ["fork", async () => (await import("./fork-command.js")).addForkCommand],
  ["diff", async () => (await import("./diff-command.js")).addDiffCommand],
  ["queue", async () => (await import("./queue-command.js")).addQueueCommand],
  ["schedules", async () => (await import("./schedules-command.js")).addSchedulesCommand],
  ["worker", async () => (await import("./worker-command.js")).addWorkerCommand],
  ["serve", async () => (await import("./serve-command.js")).addServeCommand],
  ["keys", async () => (await import("./keys-command.js")).addKeysCommand],
  ["doctor", async () => (await import("./doctor-command.js")).addDoctorCommand],
  ["store", async () => (await import("./store-command.js")).addStoreCommand],
  ["completion", async () => (await import("./completion-command.js")).addCompletionCommand],
]);
