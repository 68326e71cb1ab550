import type { LedgerOptions } from "@runledger/runtime/ledger/ledger";
import { loadEngine, resolveEngine } from "../../config/engine-config.js";
import { withEngineSecrets } from "../../config/engine-secrets.js";
import { findUsableProject, type GlobalOptions } from "../global-options.js";
import { isSnowflake } from "./open-store.js";

/** A store without a queue needs the engine to start and wake runs. Other stores do not load it. */
export async function storeEngine(url: string, options: GlobalOptions): Promise<LedgerOptions> {
  if (!isSnowflake(url)) return {};
  const project = await findUsableProject(options);
  const config = resolveEngine({ option: undefined, environment: process.env, config: project?.config.engine });
  return { engine: await loadEngine(withEngineSecrets(config, process.env)) };
}
