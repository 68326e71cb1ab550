import { checkSecret, type ISecretsProvider } from "@runledger/contracts";
import type { Redactor } from "./redactor.js";
import type { StepSecrets } from "./step-tools.js";

/** Of a worker that was given none. */
export const noSecrets: ISecretsProvider = { resolve: async () => ({}) };

/** `ctx.secrets`. A value is known to the redactor before the step gets it (S1). */
export function stepSecrets(
  provider: ISecretsProvider,
  redactor: Redactor,
  whose: { readonly tenantId: string; readonly environmentId: string },
): StepSecrets {
  return {
    get: async (name) => {
      const { [name]: value } = await provider.resolve([{ name }], whose);
      const secret = checkSecret(name, value);
      redactor.add(name, secret);
      return secret;
    },
  };
}
