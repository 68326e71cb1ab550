import { createRequire } from "node:module";

const require = createRequire(import.meta.resolve("@runledger/store-postgres"));

/** The very driver that the store uses: every side of a comparison speaks through it. */
export const { Pool, Client } = /** @type {typeof import("pg")} */ (require("pg"));

/** @typedef {import("pg").Pool} PgPool */
/** @typedef {import("pg").Client} PgClient */

/** Every side that has a pool has this one's size; it is the store's default. */
export const POOL_SIZE = 10;
