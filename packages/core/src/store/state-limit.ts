/** Size limit of the state of a run, with all its patches (P9). */
export const MAX_STATE_BYTES: number = 4 * 1024 * 1024;
