/** A location under test, as the ports of two tenants and as storage by key. */
import { randomUUID } from "node:crypto";
import { newEvent, type ArtifactPort, type ObjectStorage } from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { openStorage } from "@runledger/runtime/artifacts/open-storage";
import { connect, type Ledger } from "runledger";
import { afterAll, beforeAll } from "vitest";

export interface Location {
  /** URL as users write it. The clauses may run on a location that has other objects. */
  readonly url: () => string;
  /** Signs URLs for downloads. */
  readonly hasLinks?: boolean;
  /** Verifies signatures. Default `true`. */
  readonly checksLinks?: boolean;
  /** `false` if the parts of lost writers are listed nowhere and expire by themselves. */
  readonly listsParts?: boolean;
  /** Receives requests over TCP, so that a test can put a proxy between. Returns the URL through an address. */
  readonly via?: (address: string) => string;
  /** `127.0.0.1:port` of the server. */
  readonly address?: () => string;
}

/** Ports that are open during the tests of the clauses. */
export interface Opened {
  readonly port: (tenantId?: string) => ArtifactPort;
  /** `null` for the store. */
  readonly storage: () => ObjectStorage | null;
  readonly newRun: (tenantId?: string, runId?: string) => Promise<string>;
}

export function opened({ url }: Location): Opened {
  let ledger: Ledger;
  let storage: ObjectStorage | null = null;
  beforeAll(async () => {
    ledger = await connect("memory:", { artifacts: url() });
    storage = url() === "store:" ? null : await openStorage(url());
  });
  afterAll(async () => {
    storage?.close();
    await ledger?.close();
  });
  const tenant = (tenantId: string) => ledger.store.forTenant(tenantId);
  return {
    port: (tenantId = "acme") => artifactPort(() => tenant(tenantId).artifacts!),
    storage: () => storage,
    newRun: async (tenantId = "acme", runId = `run_${randomUUID()}`) => {
      await tenant(tenantId).appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));
      return runId;
    },
  };
}

export async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

export async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of content) all.push(piece);
  return Buffer.concat(all);
}
