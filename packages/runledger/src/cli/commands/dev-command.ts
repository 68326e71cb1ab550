import type { Command } from "commander";
import { DEFAULT_PORT } from "@runledger/server/setup";
import type { DevOptions } from "../dev/develop.js";
import { parsePort } from "./parse-port.js";
import { exitAfter } from "../stop-signals.js";

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .summary("run the console, the API and a worker for this project; reload on changes")
    .description(
      "Runs the console, the API, the projector, the scheduler and a worker for this project, and reloads its workflows " +
        "when a file changes. New runs use the new code. A run keeps the version it started with.",
    )
    .option("--port <number>", "port of the console; 0 selects a free port", parsePort, DEFAULT_PORT)
    .action(async (_: unknown, command: Command) => {
      const { develop } = await import("../dev/develop.js");
      await exitAfter(develop(command.optsWithGlobals<DevOptions>()));
    });
}
