import type { FastifyInstance } from "fastify";
import { InputError } from "@runledger/contracts";
import { errorPage } from "./error-page.js";
import { page, STYLE } from "./page.js";
import { type Document, reference } from "./reference.js";

const HTML = "text/html; charset=utf-8";

/** Serves the OpenAPI document, its reference at `/api/docs`, and a page per error code. */
export function addDocs(server: FastifyInstance, document: object): void {
  const shown = page("Runledger API", reference(document as Document));
  server.get("/api/openapi.json", async () => document);
  server.get("/api/docs", async (_, reply) => reply.type(HTML).send(shown));
  server.get("/api/docs/style.css", async (_, reply) => reply.type("text/css; charset=utf-8").send(STYLE));
  server.get("/api/docs/errors/:code", async (request, reply) => {
    const { code } = request.params as { readonly code: string };
    const body = errorPage(code);
    if (body === null) throw new InputError("ROUTE_NOT_FOUND", "path", `${code} is not an error code.`);
    return reply.type(HTML).send(page(code, body));
  });
}
