import { checkSecret, type ISecretsProvider } from "@runledger/contracts";
import type { Retry } from "../time/retry.js";
import type { Redactor } from "./redactor.js";
import type { StepSecrets } from "../workflow/step-tools.js";

/** For a worker without a secrets provider. */
export const noSecrets: ISecretsProvider = { resolve: async () => ({}) };

/** `ctx.secrets`. The redactor learns a value before the step receives it (S1). */
export function stepSecrets(
  provider: ISecretsProvider,
  redactor: Redactor,
  whose: { readonly tenantId: string; readonly environmentId: string },
  insist: Retry,
): StepSecrets {
  return {
    get: async (name) => {
      const { [name]: value } = await insist(() => provider.resolve([{ name }], whose));
      const secret = checkSecret(name, value);
      redactor.add(name, secret);
      return secret;
    },
  };
}
