/** Parts for commands that start or call a server. They load neither fastify nor zod. */
export { DEFAULT_PORT } from "./app/default-port.js";
export { chooseRoles, serverRoles, type ServerRole } from "./app/roles.js";
export { createApiKey } from "./auth/api-keys.js";
export { LocalToken, type TokenCheck } from "./auth/local-token.js";
export { isLoopback } from "./auth/same-origin.js";
