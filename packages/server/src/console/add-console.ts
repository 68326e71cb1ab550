import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { consoleFiles, type ConsoleFile, type ConsoleFiles } from "./console-files.js";

/** For files whose names contain a hash of their content. */
const CACHE_FOREVER = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";

/** Paths of the console. All return the same document, which renders the page of its URL. */
const PAGES = [
  "/",
  "/runs",
  "/runs/*",
  "/workflows",
  "/workflows/*",
  "/queue",
  "/workers",
  "/outbox",
  "/triggers",
  "/datasets",
  "/datasets/*",
  "/health",
  "/compare",
  "/admin",
];

export function addConsole(server: FastifyInstance, files: ConsoleFiles = consoleFiles()): void {
  for (const [path, file] of files) server.get(path, async (request, reply) => send(request, reply, file));
  const page = files.get("/index.html");
  if (page === undefined) return void server.get("/", async (_, reply) => reply.redirect("/api/docs", 303));
  for (const path of PAGES) server.get(path, async (request, reply) => send(request, reply, page));
}

/** Sends the console's "not found" page to a browser. `null` for API paths and for callers that are not browsers. */
export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
  const isBrowser = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
  const page = isBrowser && !/^\/api(\/|\?|$)/.test(request.url) ? consoleFiles().get("/index.html") : undefined;
  return page === undefined ? null : send(request, reply.code(404), page);
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  void reply.headers({
    "cache-control": file.isImmutable ? CACHE_FOREVER : REVALIDATE,
    etag: file.etag,
    vary: "accept-encoding",
    "content-type": file.type,
  });
  if (request.headers["if-none-match"] === file.etag && reply.statusCode === 200) return reply.code(304).send();
  const acceptsBrotli = /\bbr\b/.test(request.headers["accept-encoding"] ?? "");
  if (file.brotli === null || !acceptsBrotli) return reply.send(file.bytes);
  return reply.header("content-encoding", "br").send(file.brotli);
}
