/** A reference to a secret. Plans hold references only, never values (S1). */
export interface SecretRef {
  readonly name: string;
  /** Which version to resolve; absent = the current one. */
  readonly version?: string;
}

/** Resolves references next to the step that needs them, never in the engine (execution-semantics 2). */
export interface ISecretsProvider {
  resolve(
    refs: readonly SecretRef[],
    ctx: { readonly tenantId: string; readonly environmentId: string },
  ): Promise<Record<string, string>>;
}
