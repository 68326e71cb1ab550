/** Resolves the secrets that the workflows of a project name, before any run needs them. */
import type { ISecretsProvider } from "@runledger/contracts";
import { EnvSecrets } from "@runledger/runtime/secrets/env-secrets";
import { secretsOfPlan } from "@runledger/runtime/secrets/plan-secrets";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import type { Project } from "../../config/load-project.js";

export interface CheckedSecret {
  readonly name: string;
  /** `null` if the secret was resolved. Never contains a value. */
  readonly problem: string | null;
}

export function providerOf({ config }: Pick<Project, "config">): ISecretsProvider {
  return config.worker?.secrets ?? new EnvSecrets(process.env);
}

export async function checkReferences(
  project: Project,
  whose: { readonly tenantId: string; readonly environmentId: string },
): Promise<CheckedSecret[]> {
  const provider = providerOf(project);
  const plans = project.workflows.map(({ workflow }) => compiledOf(workflow).plan);
  const names = [...new Set(plans.flatMap(secretsOfPlan))].sort();
  return await Promise.all(names.map(async (name) => ({ name, problem: await problemOf(provider, name, whose) })));
}

async function problemOf(
  provider: ISecretsProvider,
  name: string,
  whose: Parameters<ISecretsProvider["resolve"]>[1],
): Promise<string | null> {
  try {
    const { [name]: value } = await provider.resolve([{ name }], whose);
    return value === undefined ? `secret ${name}: is not known to the provider.` : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
