import type { FastifyInstance } from "fastify";
import { StopError } from "@runledger/contracts";

/** What stands in the way, and what to do about it. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process has it. Stop that one, or choose another port with --port.",
  EACCES: "this user may not use it. Choose a port above 1023 with --port.",
  EADDRNOTAVAIL: "this machine has no such address. Use 127.0.0.1, or one that it has, with --host.",
  ENOTFOUND: "no machine has this name. Use 127.0.0.1, or an address of this machine, with --host.",
};

/** Gives the address that it listens on. */
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
