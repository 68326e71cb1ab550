import type { Schedule } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../../api/client.js";
import { queryClient } from "../../api/query-client.js";
import { useRefusal } from "../../api/session.js";
import { Button } from "../../ui/button.js";
import { dayAndTime, relative, shortId, zonedTime } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { useNow } from "../../ui/now.js";
import { toast, toastError } from "../../ui/toasts.js";
import { timingText } from "./timing-text.js";

const SHOWN_TIMES = 5;

export function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, timing, version, overlap, pausedAt, nextTick } = schedule;
  const now = useNow();
  const isFinished = nextTick === null;
  return (
    <article className="schedule" data-schedule={scheduleId} aria-label={`Schedule ${scheduleId}`}>
      <header>
        <span className={pausedAt !== null ? "tone-wait" : isFinished ? "tone-idle" : "tone-good"}>
          <Icon name={pausedAt !== null ? "paused" : isFinished ? "cancelled" : "waiting"} />
        </span>
        <h2 className="cut">{scheduleId}</h2>
        <span className="quiet">{pausedAt !== null ? "paused" : isFinished ? "finished" : "active"}</span>
        <span className="grow" />
        {!isFinished && <PauseButton schedule={schedule} />}
      </header>
      <p>
        {timingText(timing, now)} <span className="quiet">version {version}</span>
      </p>
      {!isFinished && <NextTimes schedule={schedule} />}
      <LastTick schedule={schedule} />
      <p className="quiet">
        {OVERLAPS[overlap]}{" "}
        <Link to="/runs" search={{ schedule: scheduleId }}>
          View runs
        </Link>
      </p>
    </article>
  );
}

const OVERLAPS = {
  allow: "Runs may overlap.",
  skip: "Skipped while another run is open.",
  queue: "Waits while another run is open.",
  cancel: "Cancels a run that is still open.",
} as const;

function PauseButton({ schedule: { scheduleId, pausedAt } }: { readonly schedule: Schedule }) {
  const refusal = useRefusal("operator");
  const { mutate, isPending } = useMutation({
    mutationFn: () => (pausedAt === null ? client.pauseSchedule(scheduleId) : client.resumeSchedule(scheduleId)),
    onSuccess: () => {
      toast(pausedAt === null ? `Schedule ${scheduleId} paused` : `Schedule ${scheduleId} resumed`);
      void queryClient.invalidateQueries({ queryKey: ["schedules"] });
    },
    onError: toastError,
  });
  return (
    <Button size="small" disabled={isPending || refusal !== null} title={refusal ?? undefined} onClick={() => mutate()}>
      {pausedAt === null ? "Pause" : "Resume"}
    </Button>
  );
}

/** The next times. They are crossed out while the schedule is paused. */
function NextTimes({ schedule: { scheduleId, timing, pausedAt, nextTick, waiting } }: { readonly schedule: Schedule }) {
  const now = useNow();
  const { data } = useQuery({
    queryKey: ["schedule-times", scheduleId, nextTick],
    queryFn: () => client.nextTimes(scheduleId, SHOWN_TIMES),
    staleTime: 60_000,
  });
  if (waiting) return <p className="tone-wait">Due now. Waiting for an open run to finish.</p>;
  if (data === undefined) return null;
  return (
    <ol className={`next-times ${pausedAt === null ? "" : "paused"}`} aria-label="Next times">
      {data.times.map((at, index) => (
        <li key={at}>
          <span title={`${dayAndTime(at)} in your time zone`}>{zonedTime(at, timing.timeZone, now)}</span>{" "}
          <span className="quiet">{index === 0 && pausedAt === null && relative(at, now)}</span>
        </li>
      ))}
    </ol>
  );
}

const OUTCOMES = { started: "started a run", skipped: "was skipped", missed: "was missed" } as const;

function LastTick({ schedule: { last, timing } }: { readonly schedule: Schedule }) {
  const now = useNow();
  if (last === null) return <p className="quiet">Not fired yet.</p>;
  return (
    <p>
      Last: {zonedTime(last.tick, timing.timeZone, now)} {OUTCOMES[last.outcome]}
      {last.runId !== undefined && (
        <>
          {last.outcome === "started" ? ", " : " because of run "}
          <Link to="/runs/$runId" params={{ runId: last.runId }} search={{}} className="mono">
            {shortId(last.runId)}
          </Link>
        </>
      )}
    </p>
  );
}
