import { DEFAULT_TENANT } from "@runledger/contracts";
import type { Project } from "../../config/load-project.js";
import { count } from "../render/format.js";
import type { Finding } from "./doctor-checks.js";
import { checkReferences } from "./secret-references.js";

/** Reports references that cannot be resolved. Returns nothing if no workflow names a secret. */
export async function checkSecrets(project: Project): Promise<Finding[]> {
  const name = "Secrets";
  const results = await checkReferences(project, { tenantId: DEFAULT_TENANT, environmentId: "default" });
  const problems = results.flatMap(({ problem }) => problem ?? []);
  if (results.length === 0) return [];
  if (problems.length === 0)
    return [{ name, state: "good", found: `${count(results.length, "secret")} can be resolved` }];
  const fix = "run runledger secrets check where the workers run, with their environment";
  return problems.map((found) => ({ name, state: "bad", found, fix }));
}
