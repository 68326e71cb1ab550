export { dbt, type DbtOutput } from "./dbt-step.js";
export { dbtRunner } from "./dbt-runner.js";
export type { DbtSettings } from "./dbt-process.js";
export type * from "@runledger/runtime"; // signatures of this package mention these types
export type { DbtCommand, DbtOptions } from "./options.js";
