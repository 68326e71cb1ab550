/**
 * Reads a recorded history. The SDK's own `historyFromJSON` does not work where npm installs protobufjs several times, so
 * this uses the copy that belongs to Temporal's messages.
 */
import { createRequire } from "node:module";

interface Messages {
  lookupType(name: string): unknown;
}

const fromWorker = createRequire(createRequire(import.meta.url).resolve("@temporalio/worker"));
const fromProto = createRequire(fromWorker.resolve("@temporalio/proto"));
const { fromJson } = fromProto("protobufjs/ext/protojson") as {
  readonly fromJson: (type: unknown, json: unknown, options: object) => unknown;
};
const { patchProtobufRoot } = fromWorker("@temporalio/proto/lib/patch-protobuf-root") as {
  readonly patchProtobufRoot: (root: unknown) => Messages;
};
const historyType = patchProtobufRoot(fromWorker("@temporalio/proto")).lookupType("temporal.api.history.v1.History");

export function readHistory(json: string): unknown {
  return fromJson(historyType, JSON.parse(json), { ignoreUnknownFields: true });
}
