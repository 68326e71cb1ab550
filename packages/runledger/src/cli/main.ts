/** The command `runledger`. */
import { CommanderError } from "commander";
import { exitCodes } from "./exit-codes.js";
import { makeProgram } from "./program.js";
import { tolerateClosedPipe } from "./terminal.js";

tolerateClosedPipe();
try {
  const argv = process.argv.slice(2);
  const program = await makeProgram(argv);
  await program.parseAsync(argv, { from: "user" });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage; // it has spoken
  else process.exitCode = (await import("./report-error.js")).reportError(error);
}
