import { fileURLToPath } from "node:url";
import type { DataConverter } from "@temporalio/common";
import { parsePayloadKeys } from "@runledger/runtime/encryption/payload-keys";
import { EncryptionCodec } from "./encryption-codec.js";

/** Returns how values become payloads: encrypted if there are keys. The same on all sides of the cluster. */
export function dataConverterOf(payloadKeys: string | undefined): DataConverter {
  if (payloadKeys === undefined) return {};
  return {
    payloadCodecs: [new EncryptionCodec(parsePayloadKeys(payloadKeys))],
    failureConverterPath: fileURLToPath(new URL("../../dist/client/failure-converter.js", import.meta.url)),
  };
}
