/** Version of the contract between stores, engines and readers. VERSIONING.md states which change raises which number. */
export const CONTRACT_VERSION = "1.1.0";
