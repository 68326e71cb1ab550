/**
 * Runledger: workflows that survive crashes, on the database you have.
 *
 * @example
 * import { connect, workflow } from "runledger";
 *
 * const hello = workflow("hello", { version: "1" }, (w) => {
 *   const name = w.step("name", () => "world");
 *   return w.step("greet", { needs: { name } }, ({ needs }) => `Hello, ${needs.name}.`);
 * });
 *
 * await using ledger = await connect("memory:");
 * await ledger.worker({ workflows: [hello] });
 * const run = await ledger.start(hello);
 * console.log(await run.result());
 *
 * @packageDocumentation
 */
export type { JwtOptions, Quota, QuotaOptions } from "@runledger/server";
export {
  defineConfig,
  type HealthConfig,
  type LogConfig,
  type OutboxConfig,
  type RunledgerConfig,
  type SampleRun,
  type TriggersConfig,
} from "./config/define-config.js";
export type { EngineConfig } from "./config/engine-config.js";
export type { CacheSettings } from "@runledger/runtime/cache/open-cache";
export type { Engine } from "@runledger/runtime/engine/engine";
export type { TemporalOptions } from "@runledger/runtime/engine/temporal-options";
export type { ServerConfig } from "./config/server-config.js";
export * from "@runledger/runtime";
