import type { FastifyInstance } from "fastify";
import { StopError } from "@runledger/contracts";

/** Reason and remedy for each error of `listen`. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses this port. Stop it, or choose another port with --port.",
  EACCES: "this user may not use this port. Choose a port above 1023 with --port.",
  EADDRNOTAVAIL: "this machine does not have this address. Pass 127.0.0.1 or one of its addresses with --host.",
  ENOTFOUND: "this host name cannot be resolved. Pass 127.0.0.1 or an address of this machine with --host.",
};

/** Returns the URL that the server listens on. */
export async function listenOn(
  fastify: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await fastify.listen({ host, port, listenTextResolver: (address) => address });
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new StopError("LISTEN_FAILED", `Cannot listen on ${host}, port ${port}: ${reason}`, { cause: error });
  }
}
