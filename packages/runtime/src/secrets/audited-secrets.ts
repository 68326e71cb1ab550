/** Records refused references in the audit log. */
import { InputError, newId, type Audit, type ISecretsProvider, type SecretContext } from "@runledger/contracts";

export interface AuditedSecretsParts {
  /** Throws if the store has no audit log. */
  readonly audit: () => Audit;
  readonly workerId: string;
  /** Receives errors of the audit log. The reference stays refused. */
  readonly onFault: (error: unknown) => void;
}

export function auditedSecrets(provider: ISecretsProvider, parts: AuditedSecretsParts): ISecretsProvider {
  return {
    resolve: async (refs, whose) => {
      try {
        return await provider.resolve(refs, whose);
      } catch (error) {
        if (error instanceof InputError && error.code === "SECRET_FORBIDDEN") await record(parts, error, whose);
        throw error;
      }
    },
    known: () => ({ ...provider.known?.() }),
  };
}

async function record(
  { audit, workerId, onFault }: AuditedSecretsParts,
  error: InputError,
  whose: SecretContext,
): Promise<void> {
  const entry = {
    tenantId: whose.tenantId,
    actor: workerId,
    actorKind: "system",
    actorId: workerId,
    keyId: null,
    action: "resolveSecret",
    target: `${error.field} in ${whose.environmentId}`,
    outcome: "denied",
    code: error.code,
    requestId: newId("secret"),
    address: "",
    count: 1,
  } as const;
  try {
    await audit().recordAudit([entry]);
  } catch (fault) {
    onFault(fault);
  }
}
