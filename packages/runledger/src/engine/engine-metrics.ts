/** What a worker counts: how much its checkpoints cost, and what they save (C3). */
import type { Checkpoint } from "@runledger/contracts";
import type { Metrics } from "../metrics/metrics.js";

const BYTES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

export class EngineMetrics {
  readonly #checkpoints;
  readonly #checkpointBytes;
  readonly #replays;
  readonly #replayedEvents;
  readonly #takeOvers;
  readonly #driving;
  readonly #appends;
  readonly #appendedEvents;

  constructor(metrics: Metrics) {
    this.#checkpoints = metrics.counter("runledger_checkpoints_total", "Checkpoints saved.");
    this.#checkpointBytes = metrics.histogram("runledger_checkpoint_bytes", "Sizes of checkpoints.", BYTES);
    this.#replays = metrics.histogram("runledger_replay_seconds", "From a claim to a run's state, by where it began.");
    this.#replayedEvents = metrics.counter("runledger_replayed_events_total", "Events read to get to a run's state.");
    this.#appends = metrics.histogram("runledger_append_seconds", "From an append to its acknowledgement.");
    this.#appendedEvents = metrics.counter("runledger_appended_events_total", "Events that were appended for runs.");
    this.#takeOvers = metrics.counter("runledger_take_overs_total", "Runs taken over from a worker that was lost.");
    this.#driving = metrics.gauge(
      "runledger_driven_runs",
      "Runs that the worker drives; one that waits is not among them.",
    );
  }

  checkpointSaved({ data }: Checkpoint): void {
    this.#checkpoints.add();
    this.#checkpointBytes.observe(data.length);
  }

  replayed(params: { readonly fromCheckpoint: boolean; readonly events: number; readonly ms: number }): void {
    const labels = { from: params.fromCheckpoint ? "checkpoint" : "beginning" };
    this.#replays.observe(params.ms / 1000, labels);
    this.#replayedEvents.add(params.events, labels);
  }

  appended(params: { readonly events: number; readonly ms: number }): void {
    this.#appends.observe(params.ms / 1000);
    this.#appendedEvents.add(params.events);
  }

  takenOver(): void {
    this.#takeOvers.add();
  }

  driving(runs: number, workerId: string): void {
    this.#driving.set(runs, { worker: workerId });
  }
}
