export { parseSnowflakeUrl, type Credentials, type Shape, type SnowflakeTarget } from "./connection-url.js";
export { migrationScript } from "./migrate.js";
export { SnowflakeStore, type SnowflakeStoreOptions } from "./store.js";
