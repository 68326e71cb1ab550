/** `http`: sends one request. The response decides whether the attempt is retried. */
import { RunledgerError, type Json } from "@runledger/contracts";
import { cut } from "../../workflow/cut.js";
import { parseWith } from "../../workflow/schema.js";
import { FatalStepError, StepError } from "../../workflow/step-errors.js";
import { send, type Answer, type Outgoing } from "./http-exchange.js";
import { readOptions, type BuiltInRunner, type BuiltInTask } from "./runner.js";
import { resolveSecrets } from "./secret-values.js";

/** Default limit of a response, in bytes. */
const MAX_BYTES = 1024 * 1024;
/** Characters of the response in an error. */
const SHOWN = 1000;
/** Status codes worth a retry, besides every 5xx. */
const RETRYABLE = new Set([408, 425, 429]);

interface HttpOptions {
  readonly url?: unknown;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: Json;
  readonly maxBytes?: number;
  readonly redirectHosts?: readonly string[];
}

export const runHttp: BuiltInRunner = async (task) => {
  const options = await readOptions<HttpOptions>(task, "request");
  const request = await outgoing(task, options);
  const { context, checkUrl } = task;
  const { maxBytes = MAX_BYTES, redirectHosts = [] } = options;
  const limits = { maxBytes, signal: context.signal, checkUrl, redirectHosts };
  const answer = await send(request, limits).catch((error: unknown) => {
    throw networkError(error);
  });
  if (answer.status >= 400 || answer.status < 200) throw refused(answer);
  const { status, headers } = answer;
  return { status, headers, body: await checkedBody(task, answer) };
};

async function outgoing({ context, trace }: BuiltInTask, options: HttpOptions): Promise<Outgoing> {
  const { method = options.body === undefined ? "GET" : "POST", body } = options;
  const declared = await resolveSecrets(options.headers ?? {}, context.secrets);
  return {
    url: checkedUrl(options.url),
    method: method.toUpperCase(),
    headers: new Headers({
      "idempotency-key": context.idempotencyKey,
      accept: "application/json",
      ...trace,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...lowerCase(declared),
    }),
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function checkedUrl(url: unknown): URL {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : null;
  const plain = parsed !== null && parsed.username === "" && parsed.password === "";
  if (plain && (parsed.protocol === "http:" || parsed.protocol === "https:")) return parsed;
  throw new FatalStepError("HTTP_URL_INVALID", "url must be a whole http or https address without a password in it.");
}

/** Parses JSON by content type, otherwise returns text; then applies the step's schema. */
async function checkedBody({ closures }: BuiltInTask, { headers, text }: Answer): Promise<unknown> {
  const isJson = /[/+]json\b/.test(headers["content-type"] ?? "");
  return parseWith(closures.schema, "body", isJson && text !== "" ? fromJson(text) : text);
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser contains a part of the text, and so perhaps a part of a secret.
    throw new StepError("HTTP_BODY_INVALID", `The answer says that it is JSON and is not: ${cut(text, SHOWN)}`);
  }
}

function refused({ status, headers, text }: Answer): StepError {
  const retryable = RETRYABLE.has(status) || status >= 500;
  const retryAfterMs = retryAfter(headers["retry-after"]);
  return new StepError(`HTTP_${status}`, `The server answered ${status}. ${cut(text, SHOWN)}`.trim(), {
    retryable,
    retryAfterMs,
  });
}

/** Parses seconds or a date. */
function retryAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}

/** No response: a retry may help. */
function networkError(error: unknown): unknown {
  if (error instanceof StepError || error instanceof FatalStepError || error instanceof RunledgerError) return error;
  const { message, cause } = error as Error & { cause?: Error & { code?: string } };
  return new StepError("HTTP_UNREACHABLE", `No response: ${cause?.code ?? cause?.message ?? message}`);
}
