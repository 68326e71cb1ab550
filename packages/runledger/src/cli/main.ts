/** The command `runledger`. */
import { CommanderError } from "commander";
import { exitCodes } from "./exit-codes.js";
import { makeProgram } from "./program.js";
import { tolerateClosedPipe } from "./render/terminal.js";

tolerateClosedPipe();
try {
  const argv = process.argv.length > 2 ? process.argv.slice(2) : ["--help"];
  const program = await makeProgram(argv);
  await program.parseAsync(argv, { from: "user" });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage; // Commander has printed the error
  else
    process.exitCode = (await import("./render/report-error.js")).reportError(error, process.argv.includes("--json"));
}
