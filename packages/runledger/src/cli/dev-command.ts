import type { Command } from "commander";
import { DEFAULT_PORT } from "../server/default-port.js";
import type { DevOptions } from "./develop.js";
import { toPort } from "./port.js";
import { thenLeave } from "./stop-signals.js";

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .summary("run everything for this project: console, API, worker; load workflows again when a file changes")
    .description(
      "Runs the console, the API, the projector, the scheduler and a worker for this project, and loads its workflows " +
        "again when one of their files changes. New runs use the new code. A run stays on the version it began with.",
    )
    .option("--port <number>", "where the console listens; 0 takes any that is free", toPort, DEFAULT_PORT)
    .action(async (_: unknown, command: Command) => {
      const { develop } = await import("./develop.js");
      await thenLeave(develop(command.optsWithGlobals<DevOptions>()));
    });
}
