import type { Schedule } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../../api/client.js";
import { queryClient } from "../../api/query-client.js";
import { useRefusal } from "../../app/session.js";
import { moment, relative, shortId } from "../../ui/format.js";
import { Glyph } from "../../ui/glyph.js";
import { useNow } from "../../ui/now.js";
import { tell, tellFailure } from "../../ui/toasts.js";
import { timingText } from "./timing-text.js";

const SHOWN_TIMES = 5;

export function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId, timing, version, overlap, pausedAt, nextTick } = schedule;
  const now = useNow();
  const isOver = nextTick === null;
  return (
    <article className="schedule" data-schedule={scheduleId} aria-label={`Schedule ${scheduleId}`}>
      <header>
        <span className={pausedAt !== null ? "tone-wait" : isOver ? "tone-idle" : "tone-good"}>
          <Glyph name={pausedAt !== null ? "paused" : isOver ? "cancelled" : "waiting"} />
        </span>
        <h2 className="cut">{scheduleId}</h2>
        <span className="quiet">{pausedAt !== null ? "paused" : isOver ? "over" : "active"}</span>
        <span className="grow" />
        {!isOver && <PauseButton schedule={schedule} />}
      </header>
      <p>
        {timingText(timing, now)} <span className="quiet">starts {version}</span>
      </p>
      {!isOver && <NextTimes schedule={schedule} />}
      <LastTick schedule={schedule} />
      <p className="quiet">
        {OVERLAPS[overlap]}{" "}
        <Link to="/runs" search={{ schedule: scheduleId }}>
          Its runs
        </Link>
      </p>
    </article>
  );
}

const OVERLAPS = {
  allow: "Runs may overlap.",
  skip: "Left out while a run is open.",
  queue: "Waits while a run is open.",
  cancel: "Cancels a run that is still open.",
} as const;

function PauseButton({ schedule: { scheduleId, pausedAt } }: { readonly schedule: Schedule }) {
  const refusal = useRefusal("operator");
  const { mutate, isPending } = useMutation({
    mutationFn: () => (pausedAt === null ? client.pauseSchedule(scheduleId) : client.resumeSchedule(scheduleId)),
    onSuccess: () => {
      tell(pausedAt === null ? `${scheduleId} is paused` : `${scheduleId} goes on`);
      void queryClient.invalidateQueries({ queryKey: ["schedules"] });
    },
    onError: tellFailure,
  });
  return (
    <button
      type="button"
      className="button small"
      disabled={isPending || refusal !== null}
      title={refusal ?? undefined}
      onClick={() => mutate()}
    >
      {pausedAt === null ? "Pause" : "Resume"}
    </button>
  );
}

/** The next times as they would be; of a paused one they are crossed out. */
function NextTimes({ schedule: { scheduleId, pausedAt, nextTick, waiting } }: { readonly schedule: Schedule }) {
  const now = useNow();
  const { data } = useQuery({
    queryKey: ["schedule-times", scheduleId, nextTick],
    queryFn: () => client.nextTimes(scheduleId, SHOWN_TIMES),
    staleTime: 60_000,
  });
  if (waiting) return <p className="tone-wait">Its time has come, and it waits for an open run to end.</p>;
  if (data === undefined) return null;
  return (
    <ol className={`next-times ${pausedAt === null ? "" : "paused"}`} aria-label="Next times">
      {data.times.map((at, index) => (
        <li key={at}>
          <span>{moment(at, now)}</span>{" "}
          <span className="quiet">{index === 0 && pausedAt === null && relative(at, now)}</span>
        </li>
      ))}
    </ol>
  );
}

const OUTCOMES = { started: "started a run", skipped: "was left out", missed: "was missed" } as const;

function LastTick({ schedule: { last } }: { readonly schedule: Schedule }) {
  const now = useNow();
  if (last === null) return <p className="quiet">It has not fired yet.</p>;
  return (
    <p>
      Last: {moment(last.tick, now)} {OUTCOMES[last.outcome]}
      {last.runId !== undefined && (
        <>
          {last.outcome === "started" ? ", " : " because of "}
          <Link to="/runs/$runId" params={{ runId: last.runId }} search={{}} className="mono">
            {shortId(last.runId)}
          </Link>
        </>
      )}
    </p>
  );
}
