import { openApiDocument, type JsonSchema } from "../openapi/document.js";
import { routes } from "./routes.js";

/** Creates the OpenAPI document of all routes. */
export function apiDocument(version: string): JsonSchema {
  return openApiDocument(routes, version);
}
