import type { RunledgerClient } from "@runledger/client";
import { omitUndefined } from "@runledger/contracts";
import type { CatalogBackend, ListedArtifact, ListedWorker, ListedWorkflow } from "./catalog-backend.js";

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export class ServerCatalogBackend implements CatalogBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  listWorkflows(): Promise<readonly ListedWorkflow[]> {
    return all((place) => this.#client.listWorkflows({ limit: 100, ...place }));
  }

  async listWorkers(): Promise<readonly ListedWorker[]> {
    return (await this.#client.listWorkers()).items;
  }

  listArtifacts(runId: string, stepId: string | undefined): Promise<readonly ListedArtifact[]> {
    const which = omitUndefined({ stepId });
    return all((place) => this.#client.listArtifacts(runId, { limit: 200, ...which, ...place }));
  }

  async readArtifact(runId: string, artifactId: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#client.getArtifact(runId, artifactId);
    return (body ?? []) as unknown as AsyncIterable<Uint8Array>; // streams of Node are iterable
  }
}

async function all<T>(read: (place: { readonly after?: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await read(omitUndefined({ after }));
    found.push(...page.items);
    after = page.next;
  }
  return found;
}
