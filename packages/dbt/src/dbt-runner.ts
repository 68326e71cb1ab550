import type { Runner, Task } from "@runledger/runtime/engine/runners/runner";
import { DbtAttempt } from "./attempt.js";
import { DbtPrograms, type DbtSettings } from "./dbt-process.js";
import { dbtError } from "./errors.js";
import { checkOptions } from "./options.js";
import { Scratch } from "./scratch.js";

/**
 * Creates the runner of steps of kind `dbt`. Register it as `dbt` in the worker's `runners`.
 * @example
 * defineConfig({ workflows: ["./workflows/*.ts"], worker: { runners: { dbt: dbtRunner() } } });
 */
export function dbtRunner(settings: DbtSettings = {}): Runner {
  const programs = new DbtPrograms(settings);
  const run = async (task: Task): Promise<unknown> => {
    const { inner } = task;
    if (inner === undefined)
      throw dbtError("DBT_OPTION_INVALID", "dbt cannot compensate a step. Use another kind of step.");
    const options = checkOptions(task.options);
    const scratch = await Scratch.open(options);
    try {
      return await new DbtAttempt(programs, { ...task, inner }, options, scratch).run();
    } finally {
      await scratch.remove();
    }
  };
  return Object.assign(run, { stopsOnAbort: true });
}
