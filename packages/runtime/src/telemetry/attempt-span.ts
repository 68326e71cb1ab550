/** The span of one attempt of a step. It ends with the attempt, so that a run of many days has a readable trace. */
import { context, SpanStatusCode, trace, type Attributes, type Context, type Span } from "@opentelemetry/api";
import type { TraceContext } from "@runledger/contracts";
import { SCOPE } from "./instruments.js";
import { isDerived, toTraceContext } from "./trace-context.js";

export interface AttemptFacts {
  readonly workflow: string;
  /** The step in the plan. All of its instances have the same. */
  readonly path: string;
  readonly attributes: Attributes;
  /** In ms since 1970. */
  readonly startedAt: number;
}

export class AttemptSpan {
  readonly #span: Span;
  readonly #context: Context;
  #isEnded = false;
  /** The context that the step passes on. Absent if the run belongs to no trace. */
  readonly trace: TraceContext | undefined;

  constructor(parent: Context, { workflow, path, attributes, startedAt: startTime }: AttemptFacts) {
    this.#span = trace.getTracer(SCOPE).startSpan(`${workflow} ${path}`, { attributes, startTime }, parent);
    this.#context = trace.setSpan(context.active(), this.#span);
    const isOwn = this.#span.isRecording() || !isDerived(parent);
    this.trace = isOwn ? toTraceContext(this.#span.spanContext()) : undefined;
  }

  /** `undefined` if the span is not exported. */
  get spanId(): string | undefined {
    return this.#span.isRecording() ? this.#span.spanContext().spanId : undefined;
  }

  get traceId(): string | undefined {
    return this.trace === undefined ? undefined : this.#span.spanContext().traceId;
  }

  /** Links the span to spans of earlier attempts in the same trace. */
  link(spanIds: readonly string[]): void {
    const { traceId, traceFlags } = this.#span.spanContext();
    for (const spanId of spanIds) this.#span.addLink({ context: { traceId, traceFlags, spanId } });
  }

  /** Runs code inside the span: spans that it starts become children. */
  run<T>(action: () => Promise<T>): Promise<T> {
    return context.with(this.#context, action);
  }

  /** Marks the attempt as failed. Messages may contain data, so the span has only the code. */
  fail(code: string): void {
    this.#span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR });
  }

  /** Idempotent. */
  end(): void {
    if (!this.#isEnded) this.#span.end();
    this.#isEnded = true;
  }
}
