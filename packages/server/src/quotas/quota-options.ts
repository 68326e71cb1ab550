/** Limits of one key, tenant or address, in one server process. `null` turns a limit off. */
export interface Quota {
  /** Requests per second. Ten times as many may come at once. */
  readonly requestsPerSecond?: number | null;
  /** Bytes of responses and streams per second. Ten times as many may be sent at once. */
  readonly bytesPerSecond?: number | null;
  /** Runs that calls start per second. Ten times as many may start at once. */
  readonly startsPerSecond?: number | null;
  /** Open streams. */
  readonly streams?: number | null;
}

/** Limits that keep one caller from slowing down the others. Each process counts on its own. */
export interface QuotaOptions {
  /** For each API key with its sessions, and for each user of a JWT. Default: 500 requests, 5 MB, 100 starts, 200 streams. */
  readonly key?: Quota;
  /** For all keys and users of a tenant together. Default: 2000 requests, 10 MB, 200 starts, 2000 streams. */
  readonly tenant?: Quota;
  /** For each client address, or IPv6 network of 64 bits. Default: 2000 requests, 10 MB, 200 starts, 2000 streams. */
  readonly address?: Quota;
}

const MB = 1_000_000;

const ofMany = { requestsPerSecond: 2000, bytesPerSecond: 10 * MB, startsPerSecond: 200, streams: 2000 };

export const DEFAULT_QUOTAS: Readonly<Record<keyof QuotaOptions, Required<Quota>>> = {
  key: { requestsPerSecond: 500, bytesPerSecond: 5 * MB, startsPerSecond: 100, streams: 200 },
  tenant: ofMany,
  address: ofMany,
};
