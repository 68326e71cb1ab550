/** Tools of a step's handler: artifacts, secrets, log and progress. */
import type { ArtifactRef, DatasetUse, Json } from "@runledger/contracts";
import type { SecretReference } from "./secret-reference.js";

/** Text or bytes, whole or as a stream. */
export type ArtifactSource = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** The content of an artifact, as a stream or whole. */
export interface ArtifactBody extends AsyncIterable<Uint8Array> {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}

export interface StepArtifacts {
  /** Stores data that is too large for an output. The reference is recorded when the step finishes. */
  write(kind: string, body: ArtifactSource): Promise<ArtifactRef>;
  /**
   * Reads an artifact of this run or of another run of the same tenant. Verifies size and SHA-256 if the reference has them:
   * a stream then fails with ARTIFACT_DAMAGED before its last bytes.
   */
  read(ref: Pick<ArtifactRef, "uri" | "sha256" | "sizeBytes">): ArtifactBody;
}

export interface StepSecrets {
  /** Returns the value, which is redacted from events, errors and logs from now on (S1). */
  get(name: string): Promise<string>;
}

export interface StepDatasets {
  /** Records that the attempt reads a dataset: `datasets.read("shop.orders")`. */
  read(dataset: string | DatasetUse): void;
  /** Records that the attempt has written a dataset, such as `{ name: "shop.orders", rows: 1200 }`. */
  wrote(dataset: string | DatasetUse): void;
}

/** Text, or a reference that `secret()` made. */
export type TextOrReference = string | SecretReference;

/** Text, or a reference to a secret with an optional prefix such as `Bearer `. For settings that the plan contains. */
export type TextOrSecret = TextOrReference | { readonly secret: string; readonly prefix?: string };

/** The progress of an attempt. */
export interface StepProgress {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly done: number;
  /** Absent if unknown. */
  readonly total?: number;
}

export interface StepTools {
  /** Writes and reads artifacts: data that is too large for an output. */
  readonly artifact: StepArtifacts;
  /** Resolves secrets where the step runs. */
  readonly secrets: StepSecrets;
  /** Reports the datasets that the attempt reads and writes. They are recorded when the step completes. */
  readonly datasets: StepDatasets;
  /** Writes a line to the attempt's log, which is readable while it runs. */
  readonly log: (message: string, fields?: Readonly<Record<string, Json>>) => void;
  /** Reports progress to the worker's `onProgress`. */
  readonly progress: (done: number, total?: number) => void;
}
