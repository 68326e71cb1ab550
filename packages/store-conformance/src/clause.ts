import type { StateStore } from "@runledger/contracts";

/** The ports that a store may lack. */
export type OptionalPort =
  | "access"
  | "alerts"
  | "audit"
  | "checkpoints"
  | "copies"
  | "datasets"
  | "feed"
  | "leases"
  | "archive"
  | "index"
  | "keyframes"
  | "derived"
  | "erasure"
  | "expiry"
  | "limits"
  | "outbox"
  | "plans"
  | "queue"
  | "retention"
  | "schedules"
  | "triggers";

/** The tools of a test of the suite. */
export interface Fixture<P extends OptionalPort = never> {
  /** Fresh and empty. The suite closes it afterwards. */
  readonly store: StateStore & Required<Pick<StateStore, P>>;
  /** Returns `count`, or fewer if the store accepts fewer events of a run per call. */
  atMost(count: number): number;
  /**
   * Opens another handle on the same store while this one is open. Returns this one if the store allows only one
   * handle.
   */
  another(): Promise<StateStore>;
  /** Closes the store and opens it again. `null` if the adapter offers no way to. */
  reopen: (() => Promise<StateStore>) | null;
}

/** One clause of the contract. `exceptions` refer to it by name. */
export interface Clause {
  readonly name: string;
  /** The clause is skipped for a store that lacks one of these. */
  readonly ports: readonly OptionalPort[];
  readonly tests: readonly ClauseTest[];
}

export interface ClauseTest {
  readonly title: string;
  readonly run: (fixture: Fixture<OptionalPort>) => Promise<void>;
}

/** Defines a clause and its tests by title. A title starts with the rule that it tests. */
export function clause<P extends OptionalPort = never>(
  name: string,
  ports: readonly P[],
  tests: Readonly<Record<string, (fixture: Fixture<P>) => Promise<void>>>,
): Clause {
  // The suite passes a fixture to a clause only after checking the clause's ports.
  const all = Object.entries(tests).map(([title, run]) => ({ title, run: run as ClauseTest["run"] }));
  return { name, ports, tests: all };
}
