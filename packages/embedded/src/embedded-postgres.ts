export interface EmbeddedOptions {
  /** The directory of the cluster. It is created if absent. A second process that names the same directory attaches. */
  readonly dataDir: string;
  /** Receives one line per notable event: a takeover, or what prevents the server from restarting. */
  readonly log?: (line: string) => void;
  /** PostgreSQL settings in addition to ours, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The directory for links or copies of binaries that cannot run where npm put them. */
  readonly cacheDir?: string;
}

export interface EmbeddedPostgres extends AsyncDisposable {
  /** Contains the password, so do not log it. It stays the same while the port is free, across restarts too. */
  readonly url: string;
  /** Absolute, with symbolic links resolved. */
  readonly dataDir: string;
  /** The version of the binaries, like `18.4`. */
  readonly version: string;
  /** The current role. An attached process becomes the owner when the owner exits. */
  readonly role: "owner" | "attached";
  /**
   * Stops the server if this process owns it; an attached process then restarts it. An attached process only detaches.
   */
  stop(): Promise<void>;
}
