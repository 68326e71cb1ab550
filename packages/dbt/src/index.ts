export { dbt, type DbtOutput } from "./dbt-step.js";
export { dbtRunner } from "./dbt-runner.js";
export type { DbtSettings } from "./dbt-process.js";
export type * from "@runledger/contracts"; // signatures of this package mention these types
export type { InnerSteps, Runner, Task } from "@runledger/runtime/engine/runners";
export type { DbtCommand, DbtOptions } from "./options.js";
