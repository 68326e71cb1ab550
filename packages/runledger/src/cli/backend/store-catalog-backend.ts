import { artifactIdOf, DEFAULT_TENANT, InputError, omitUndefined, type StoredArtifact } from "@runledger/contracts";
import { withExpiry } from "@runledger/runtime/artifacts/artifact-expiry";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { findArtifact } from "@runledger/runtime/runs/find-artifact";
import { readWorkers } from "@runledger/runtime/runs/read-workers";
import { readWorkflows } from "@runledger/runtime/runs/read-workflows";
import type { CatalogBackend, ListedArtifact, ListedWorker, ListedWorkflow } from "./catalog-backend.js";
import type { StoreBackendOptions } from "./store-backend.js";

const PAGE = 200;

export class StoreCatalogBackend implements CatalogBackend {
  readonly #options: StoreBackendOptions;

  constructor(options: StoreBackendOptions) {
    this.#options = options;
  }

  get #store() {
    return this.#options.ledger.store;
  }

  get #tenantId() {
    return this.#options.tenantId ?? DEFAULT_TENANT;
  }

  /** A user with access to the store may see everything in it. */
  get #reader() {
    return { tenantId: this.#tenantId, allTenants: true };
  }

  async listWorkflows(): Promise<readonly ListedWorkflow[]> {
    const reader = this.#reader;
    const found: ListedWorkflow[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await readWorkflows(this.#store, { reader, after, limit: PAGE });
      found.push(...page.items);
      after = page.next;
    }
    return found;
  }

  async listWorkers(): Promise<readonly ListedWorker[]> {
    const tenant = this.#store.forTenant(this.#tenantId);
    return (await readWorkers(this.#store, tenant, this.#reader)).items;
  }

  get #artifacts() {
    return artifactPort(() => this.#store.artifacts);
  }

  async listArtifacts(runId: string, stepId: string | undefined): Promise<readonly ListedArtifact[]> {
    const found: ListedArtifact[] = [];
    for (let afterId: string | undefined; ;) {
      const page = await this.#artifacts.list({ runId, limit: PAGE, ...omitUndefined({ stepId, afterId }) });
      found.push(...(await withExpiry(this.#store.retention, await this.#tenantOf(runId), page)).map(toListed));
      if (page.length < PAGE) return found;
      afterId = found.at(-1)!.artifactId;
    }
  }

  async #tenantOf(runId: string): Promise<string> {
    const [head] = await this.#store.fetchHeads([runId]);
    return head?.tenantId ?? this.#tenantId;
  }

  async readArtifact(runId: string, artifactId: string): Promise<AsyncIterable<Uint8Array>> {
    const found = await findArtifact(this.#store, this.#artifacts, { runId, artifactId });
    if (found !== undefined) return this.#artifacts.read({ uri: found.uri });
    throw new InputError("ARTIFACT_NOT_FOUND", "artifact", `${artifactId} is not an artifact of run ${runId}.`);
  }
}

function toListed({ runId: _, ...artifact }: StoredArtifact): ListedArtifact {
  return { artifactId: artifactIdOf(artifact.uri) ?? artifact.uri, ...artifact };
}
