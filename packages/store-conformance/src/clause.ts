import type { StateStore } from "@runledger/contracts";

/** The ports that a store may lack. */
export type OptionalPort =
  | "access"
  | "audit"
  | "checkpoints"
  | "copies"
  | "feed"
  | "leases"
  | "archive"
  | "index"
  | "keyframes"
  | "derived"
  | "limits"
  | "plans"
  | "queue"
  | "schedules";

/** What a test of the suite has at hand. */
export interface Fixture<P extends OptionalPort = never> {
  /** Fresh and empty; closed afterwards. */
  readonly store: StateStore & Required<Pick<StateStore, P>>;
  /** `count`, or less where the store declares that one call takes fewer events of a run. */
  atMost(count: number): number;
  /** Another handle on the same store while this one is open; this one itself where the store takes one at a time. */
  another(): Promise<StateStore>;
  /** Closes the store and opens it again; null = the adapter gave no way to. */
  reopen: (() => Promise<StateStore>) | null;
}

/** One clause of the contract. Its name is what `exceptions` refer to. */
export interface Clause {
  readonly name: string;
  /** A store that lacks one of these is not judged by the clause. */
  readonly ports: readonly OptionalPort[];
  readonly tests: readonly ClauseTest[];
}

export interface ClauseTest {
  readonly title: string;
  readonly run: (fixture: Fixture<OptionalPort>) => Promise<void>;
}

/** A clause and its tests by title; a title begins with the ruling that it shows. */
export function clause<P extends OptionalPort = never>(
  name: string,
  ports: readonly P[],
  tests: Readonly<Record<string, (fixture: Fixture<P>) => Promise<void>>>,
): Clause {
  // The suite hands a fixture to a clause only after it has seen the clause's ports.
  const all = Object.entries(tests).map(([title, run]) => ({ title, run: run as ClauseTest["run"] }));
  return { name, ports, tests: all };
}
