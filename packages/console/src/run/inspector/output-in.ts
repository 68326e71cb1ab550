import type { RunEvent } from "@runledger/client";
import type { ArtifactRef, StepCompletedData } from "@runledger/contracts";

interface FoundOutput {
  readonly isComplete: boolean;
  readonly output: unknown;
  /** `true` if the payload of a signal is the output. It is not in the events of the step. */
  readonly isSignal: boolean;
  /** The artifact that holds the output, because an event cannot. */
  readonly artifact: ArtifactRef | null;
  /** The step that produced the output, if it is another one (in a container). */
  readonly from: string | null;
  /** The merge patch that the step applied to the state of the run. */
  readonly patch: unknown;
}

/** Returns the output of a step from its events. */
export function outputIn(events: readonly RunEvent[]): FoundOutput {
  const last = events.findLast(({ eventType }) => eventType === "StepCompleted");
  const data = (last?.eventData ?? {}) as Partial<StepCompletedData>;
  const { outputFrom: from = null, signalId, outputArtifact, artifacts = [], patch } = data;
  const output = typeof outputArtifact === "object" ? outputArtifact : data.output; // a marker
  const artifact = artifacts.find(({ uri }) => uri === outputArtifact) ?? null;
  return { isComplete: last !== undefined, output, isSignal: signalId !== undefined, artifact, from, patch };
}
