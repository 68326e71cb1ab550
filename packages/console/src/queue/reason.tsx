import type { WaitReason } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { capital, moment, relative, shortId } from "../ui/format.js";
import { Glyph, type GlyphName } from "../ui/glyph.js";
import type { Tone } from "../ui/status.js";
import { targetText } from "./limit-use.js";

const LOOKS: Readonly<Record<WaitReason["kind"], { readonly glyph: GlyphName; readonly tone: Tone }>> = {
  delayed: { glyph: "waiting", tone: "idle" },
  paused: { glyph: "paused", tone: "wait" },
  approval: { glyph: "person", tone: "wait" },
  signal: { glyph: "waiting", tone: "wait" },
  timer: { glyph: "waiting", tone: "idle" },
  child: { glyph: "right", tone: "idle" },
  worker: { glyph: "alert", tone: "bad" },
  limit: { glyph: "wait", tone: "wait" },
  turn: { glyph: "open", tone: "idle" },
};

/** The server's reason, with times as the reader's clock has them, and links to who is in the way. */
export function Reason({ reason, now }: { readonly reason: WaitReason; readonly now: number }) {
  const { glyph, tone } = LOOKS[reason.kind];
  const until = reason.until ?? reason.freeAt ?? null;
  return (
    <span className="reason" data-reason={reason.kind}>
      <span className={`tone-${tone}`}>
        <Glyph name={glyph} />
      </span>
      <span>
        {wordsOf(reason)}
        {until !== null && (
          <span className="quiet" title={moment(until, now)}>
            {" "}
            until {moment(until, now)}, {relative(until, now)}
          </span>
        )}
        {runsOf(reason).length > 0 && (
          <span className="holders">
            {runsOf(reason).map((runId) => (
              <Link key={runId} to="/runs/$runId" params={{ runId }} search={{}} className="mono">
                {shortId(runId)}
              </Link>
            ))}
          </span>
        )}
      </span>
    </span>
  );
}

function runsOf({ holders = [], runId }: WaitReason): readonly string[] {
  return runId === undefined ? holders : [...holders, runId];
}

function wordsOf({ kind, text, signal, stepId, ahead, target, what, value }: WaitReason): string {
  if (kind === "delayed") return "Delayed";
  if (kind === "paused") return "Paused by an operator";
  if (kind === "approval") return "Waits for an approval";
  if (kind === "signal") return `Waits for signal “${signal}”`;
  if (kind === "timer") return `${stepId} waits`;
  if (kind === "child") return "Waits for its child";
  if (kind === "turn") return ahead === 1 ? "One other is served first" : `${ahead} others are served first`;
  if (kind === "limit" && target !== undefined)
    return what === "rate"
      ? `Limit of ${targetText(target)}: ${value} have begun of late`
      : `Limit of ${targetText(target)}: ${value} of ${value} taken`;
  return capital(text);
}
