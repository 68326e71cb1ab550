/** A service that keeps the key which protects payload keys, such as a cloud's KMS or an HSM. */
export interface KeyManagement {
  /** Returns the 32 bytes of a payload key that the service has encrypted. Called once per key when a store is opened. */
  unwrapKey(params: { readonly keyId: string; readonly wrapped: Uint8Array }): Promise<Uint8Array>;
}
