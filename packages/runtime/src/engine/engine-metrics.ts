/** A worker's metrics, including the cost and benefit of checkpoints (C3). */
import type { Counter, Gauge, Histogram, Meter } from "@opentelemetry/api";
import type { Checkpoint } from "@runledger/contracts";
import { secondsHistogram } from "../telemetry/instruments.js";

const BYTES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

export class EngineMetrics {
  readonly #checkpoints: Counter;
  readonly #checkpointBytes: Histogram;
  readonly #replays: Histogram;
  readonly #replayedEvents: Counter;
  readonly #takeOvers: Counter;
  readonly #driving: Gauge;
  readonly #appends: Histogram;
  readonly #appendedEvents: Counter;

  constructor(meter: Meter) {
    const counter = (name: string, description: string): Counter => meter.createCounter(name, { description });
    this.#checkpoints = counter("runledger_checkpoints_total", "Checkpoints saved.");
    this.#checkpointBytes = meter.createHistogram("runledger_checkpoint_bytes", {
      description: "Sizes of checkpoints.",
      advice: { explicitBucketBoundaries: BYTES },
    });
    const replay = "Time from a claim to the run's state, by where the replay started.";
    this.#replays = secondsHistogram(meter, "runledger_replay_seconds", replay);
    this.#replayedEvents = counter("runledger_replayed_events_total", "Events read to get to a run's state.");
    this.#appends = secondsHistogram(meter, "runledger_append_seconds", "From an append to its acknowledgement.");
    this.#appendedEvents = counter("runledger_appended_events_total", "Events that were appended for runs.");
    this.#takeOvers = counter("runledger_take_overs_total", "Runs taken over from a worker that was lost.");
    const description = "Runs that the worker drives; one that waits is not among them.";
    this.#driving = meter.createGauge("runledger_driven_runs", { description });
  }

  checkpointSaved({ data }: Checkpoint): void {
    this.#checkpoints.add(1);
    this.#checkpointBytes.record(data.length);
  }

  replayed(params: { readonly fromCheckpoint: boolean; readonly events: number; readonly ms: number }): void {
    const labels = { from: params.fromCheckpoint ? "checkpoint" : "beginning" };
    this.#replays.record(params.ms / 1000, labels);
    this.#replayedEvents.add(params.events, labels);
  }

  appended(params: { readonly events: number; readonly ms: number }): void {
    this.#appends.record(params.ms / 1000);
    this.#appendedEvents.add(params.events);
  }

  takenOver(): void {
    this.#takeOvers.add(1);
  }

  driving(runs: number, workerId: string): void {
    this.#driving.record(runs, { worker: workerId });
  }
}
