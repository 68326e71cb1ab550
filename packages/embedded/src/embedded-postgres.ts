export interface EmbeddedOptions {
  /** Where the cluster lives. Made when absent; a second process that names the same directory attaches. */
  readonly dataDir: string;
  /** Gets one line for each thing worth knowing: a take-over, or what keeps the server from coming back. */
  readonly log?: (line: string) => void;
  /** PostgreSQL settings on top of ours, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where binaries are linked or copied to when they cannot run where npm put them. */
  readonly cacheDir?: string;
}

export interface EmbeddedPostgres extends AsyncDisposable {
  /** Carries the password: not for logs. Stays the same while the port is free, across restarts too. */
  readonly url: string;
  /** Absolute, with symbolic links resolved. */
  readonly dataDir: string;
  /** Of the binaries, like `18.4`. */
  readonly version: string;
  /** At this moment: an attached process becomes the owner when the owner goes away. */
  readonly role: "owner" | "attached";
  /** The owner's stop ends the server, after which an attached process restarts it. An attached one just leaves. */
  stop(): Promise<void>;
}
