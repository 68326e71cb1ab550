export { runledgerRun } from "./runledger-run.js";
