import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { consoleFiles, type ConsoleFile, type ConsoleFiles } from "./console-files.js";

/** A file whose name changes with its content is never asked for again; the page itself always is. */
const FOREVER = "public, max-age=31536000, immutable";
const ASK = "no-cache";

/** Pages of the console: each is the same document, which reads the rest from the address. */
const PAGES = [
  "/",
  "/runs",
  "/runs/*",
  "/workflows",
  "/workflows/*",
  "/queue",
  "/workers",
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

/** The page that says so, for whoever reads with a browser; null = there is none, or the path is a program's. */
export function nothingHere(request: FastifyRequest, reply: FastifyReply): FastifyReply | null {
  const isReader = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
  const page = isReader && !/^\/api(\/|\?|$)/.test(request.url) ? consoleFiles().get("/index.html") : undefined;
  return page === undefined ? null : send(request, reply.code(404), page);
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  void reply.headers({
    "cache-control": file.isImmutable ? FOREVER : ASK,
    etag: file.etag,
    vary: "accept-encoding",
    "content-type": file.type,
  });
  if (request.headers["if-none-match"] === file.etag && reply.statusCode === 200) return reply.code(304).send();
  const takesBrotli = /\bbr\b/.test(request.headers["accept-encoding"] ?? "");
  if (file.brotli === null || !takesBrotli) return reply.send(file.bytes);
  return reply.header("content-encoding", "br").send(file.brotli);
}
