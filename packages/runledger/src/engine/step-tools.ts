/** What a step's handler is given besides data: artifacts, secrets, a log, progress. */
import type { ArtifactRef, Json } from "@runledger/contracts";

/** Text, bytes, or either of them piece by piece. */
export type ArtifactSource = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** What an artifact holds: piece by piece, or all of it at once. */
export interface ArtifactBody extends AsyncIterable<Uint8Array> {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}

export interface StepArtifacts {
  /** Stores bytes that are too large for an output. The reference is recorded with the step's end. */
  write(kind: string, body: ArtifactSource): Promise<ArtifactRef>;
  /** Of this run, or of another one of the same tenant. */
  read(ref: Pick<ArtifactRef, "uri">): ArtifactBody;
}

export interface StepSecrets {
  /** The value. It is kept out of events, errors and logs from here on (S1). */
  get(name: string): Promise<string>;
}

/** Text, or a reference to a secret, with text in front of it where the receiver wants some (`Bearer `). */
export type TextOrSecret = string | { readonly secret: string; readonly prefix?: string };

/** How far an attempt has come. */
export interface StepProgress {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly done: number;
  /** Absent = nobody knows. */
  readonly total?: number;
}

export interface StepTools {
  readonly artifact: StepArtifacts;
  readonly secrets: StepSecrets;
  /** A line of the attempt's log, readable while it runs. */
  readonly log: (message: string, fields?: Readonly<Record<string, Json>>) => void;
  readonly progress: (done: number, total?: number) => void;
}
