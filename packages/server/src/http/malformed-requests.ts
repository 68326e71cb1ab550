/** Responds to requests that Node's HTTP parser rejects, before Fastify sees them. */
import type { Socket } from "node:net";
import { InputError, RetryError, type RunledgerError } from "@runledger/contracts";
import { problemHeaders, toProblem } from "./problems.js";

interface Refusal {
  readonly status: string;
  readonly error: RunledgerError;
}

const BY_NODE_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    error: new InputError(
      "REQUEST_INVALID",
      "headers",
      "are larger than 16 KB in total. Send fewer or shorter headers.",
    ),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    error: new RetryError("REQUEST_TIMEOUT", "The request did not arrive in time. Send it again."),
  },
};

const MALFORMED: Refusal = {
  status: "400 Bad Request",
  error: new InputError("REQUEST_INVALID", "request", "is not valid HTTP."),
};

export function refuseMalformedRequest(failure: NodeJS.ErrnoException, socket: Socket): void {
  if (failure.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  const { status, error } = BY_NODE_CODE[failure.code ?? ""] ?? MALFORMED;
  const problem = { ...toProblem(error, "none"), status: Number(status.slice(0, 3)) };
  const body = JSON.stringify(problem);
  const headers = { ...problemHeaders(problem), "content-length": Buffer.byteLength(body), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
