import { ROOT_CONTEXT } from "@opentelemetry/api";
import type { OtlpSettings } from "./otlp-settings.js";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from "./sdk.js";
import { isDerived } from "./trace-context.js";

/**
 * Returns the sampler that a user has chosen. It treats the spans of a run without a trace of its caller as roots. The trace id
 * is derived from the run's id, so all workers make the same decision for a run.
 */
export function runSampler({ name, ratio }: OtlpSettings["sampler"]): Sampler {
  const sampler = samplerOf(name, ratio);
  return {
    shouldSample: (context, ...about) => sampler.shouldSample(isDerived(context) ? ROOT_CONTEXT : context, ...about),
    toString: () => sampler.toString(),
  };
}

function samplerOf(name: string, ratio: number): Sampler {
  const root = rootOf(name.replace("parentbased_", ""), ratio);
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function rootOf(name: string, ratio: number): Sampler {
  if (name === "always_off") return new AlwaysOffSampler();
  return name === "always_on" ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}
