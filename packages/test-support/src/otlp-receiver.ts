/** A receiver of OTLP over HTTP, which keeps what exporters send as JSON. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2 for an error. */
  readonly status: number;
}

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Names of the received metrics. */
  readonly metrics: ReadonlySet<string>;
  /** Everything that was received, as it was sent. */
  readonly bodies: readonly string[];
}

interface SpanMessage extends Omit<ReceivedSpan, "attributes" | "links" | "status"> {
  readonly attributes?: readonly Attribute[];
  readonly links?: ReceivedSpan["links"];
  readonly status?: { readonly code?: number };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanMessage[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const bodies: string[] = [];
  const receive = async (request: IncomingMessage): Promise<void> => {
    const body = await bodyOf(request);
    bodies.push(body);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Message;
    for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(spanOf)));
    for (const { scopeMetrics } of resourceMetrics)
      for (const { name } of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.add(name);
  };
  const server = createServer((request, response) => {
    void receive(request).then(() => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, metrics, bodies };
}

function spanOf({ attributes = [], links = [], status = {}, ...span }: SpanMessage): ReceivedSpan {
  const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const);
  return { ...span, attributes: Object.fromEntries(values), links, status: status.code ?? 0 };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}
