import type { WaitReason } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { capitalize, counted, moment, relative, shortId } from "../ui/format.js";
import { Icon, type IconName } from "../ui/icon.js";
import { waitText, type Tone } from "../ui/status.js";
import { targetText } from "./limit-use.js";

const LOOKS: Readonly<Record<WaitReason["kind"], { readonly icon: IconName; readonly tone: Tone }>> = {
  delayed: { icon: "waiting", tone: "idle" },
  paused: { icon: "paused", tone: "wait" },
  approval: { icon: "person", tone: "wait" },
  signal: { icon: "waiting", tone: "wait" },
  timer: { icon: "waiting", tone: "idle" },
  child: { icon: "right", tone: "idle" },
  worker: { icon: "alert", tone: "bad" },
  limit: { icon: "wait", tone: "wait" },
  turn: { icon: "open", tone: "idle" },
};

/** Shows why a run waits, with times in the reader's time zone and links to the runs that block it. */
export function Reason({ reason, now }: { readonly reason: WaitReason; readonly now: number }) {
  const { icon, tone } = LOOKS[reason.kind];
  const until = reason.until ?? reason.freeAt ?? null;
  return (
    <span className="reason" data-reason={reason.kind}>
      <span className={`tone-${tone}`}>
        <Icon name={icon} />
      </span>
      <span>
        {reasonText(reason)}
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

function reasonText({ kind, text, signal, stepId, ahead, target, what, value }: WaitReason): string {
  if (kind === "delayed") return "Delayed";
  if (kind === "paused") return "Paused by an operator";
  if (kind === "approval") return waitText("approval");
  if (kind === "signal") return waitText(`signal “${signal}”`);
  if (kind === "timer") return `${waitText("timer")} in ${stepId}`;
  if (kind === "child") return waitText("a child run");
  if (kind === "turn") return `${counted(ahead ?? 0, "run")} ahead in the queue`;
  if (kind === "limit" && target !== undefined)
    return what === "rate"
      ? `Rate limit of ${targetText(target)}: ${value} runs started recently`
      : `Limit of ${targetText(target)}: ${value} of ${value} in use`;
  return capitalize(text);
}
