export { openTable, type DynamoStoreOptions } from "./store.js";
