import type { FastifyInstance } from "fastify";
import { InputError } from "@runledger/contracts";
import { openApiDocument } from "../openapi/document.js";
import { errorPage } from "./error-page.js";
import { page, STYLE } from "./page.js";
import { reference, type Document } from "./reference.js";

const HTML = "text/html; charset=utf-8";

/** The reference at `/api/docs`, a page per error code, and the document that both are made from. */
export function addDocs(server: FastifyInstance, version: string): void {
  const document = openApiDocument(version);
  const shown = page("Runledger API", reference(document as unknown as Document));
  server.get("/api/openapi.json", async () => document);
  server.get("/api/docs", async (_, reply) => reply.type(HTML).send(shown));
  server.get("/api/docs/style.css", async (_, reply) => reply.type("text/css; charset=utf-8").send(STYLE));
  server.get("/api/docs/errors/:code", async (request, reply) => {
    const { code } = request.params as { readonly code: string };
    const body = errorPage(code);
    if (body === null) throw new InputError("ROUTE_NOT_FOUND", "path", "there is no such error code.");
    return reply.type(HTML).send(page(code, body));
  });
}
