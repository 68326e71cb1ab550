/** The command `runledger`. */
import { makeProgram } from "./program.js";
import { reportError } from "./report-error.js";
import { tolerateClosedPipe } from "./terminal.js";

tolerateClosedPipe();
try {
  await makeProgram().parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportError(error);
}
