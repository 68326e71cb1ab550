import { Link } from "@tanstack/react-router";
import { copy } from "../ui/copy.js";
import { dayAndTime, duration, moment, shortId } from "../ui/format.js";
import { Glyph } from "../ui/glyph.js";
import { useNow } from "../ui/now.js";
import { Status } from "../ui/status.js";
import { tell, tellFailure } from "../ui/toasts.js";
import { RunActions } from "./actions/run-actions.js";
import type { RunView } from "./model/view.js";

/** More would push what is below off the screen. */
const MOST_WAITS = 3;

/** Status, workflow, version, how long, and who began it. */
export function RunHeaderBar({ runId, view }: { readonly runId: string; readonly view: RunView }) {
  const { header } = view;
  const now = useNow();
  const isLive = view.seq === view.headSeq;
  return (
    <header className="run-head">
      <div className="row run-title">
        <Status of="run" status={header.status} waitsFor={view.waitsFor}>
          {view.waitsFor === undefined ? undefined : `Needs ${view.waitsFor}`}
        </Status>
        <Title header={header} />
        <span className="number" title="Duration">
          {elapsed(view, isLive ? now : view.time.now)}
        </span>
        <span className="mono quiet cut run-id">{header.runId}</span>
        <button type="button" className="button plain" title="Whoever opens it sees this screen" onClick={copyLink}>
          <Glyph name="link" />
          <span className="wide-only">Copy link</span>
        </button>
        <Link className="button plain" to="/compare" search={{ a: runId }}>
          Compare
        </Link>
        <RunActions runId={runId} view={view} />
      </div>
      <Facts runId={runId} view={view} now={now} />
    </header>
  );
}

function Title({ header: { planId, planVersion } }: Pick<RunView, "header">) {
  return (
    <h1 title={`${planId ?? "unnamed"} ${planVersion ?? ""}`}>
      {planId === undefined ? (
        <span className="cut">unnamed</span>
      ) : (
        <Link className="cut strong-link" to="/workflows/$workflowId" params={{ workflowId: planId }} search={{}}>
          {planId}
        </Link>
      )}
      <span className="quiet cut">{planVersion}</span>
    </h1>
  );
}

/** What it waits for in the middle of its work: whoever comes to the page may be the one it waits for. */
function waitingSteps({ header: { status }, paths }: RunView): readonly string[] {
  if (status !== "RUNNING") return [];
  return Object.values(paths).flatMap(({ status: is, example }) => (is === "WAITING" ? [example] : []));
}

function Facts({ runId, view, now }: { readonly runId: string; readonly view: RunView; readonly now: number }) {
  const { header } = view;
  const { createdAt, startedAt, schedule, parent, fork, engineRunRef, labels, runRequestId, startedBy } = header;
  const queued =
    createdAt !== undefined && startedAt !== undefined ? Date.parse(startedAt) - Date.parse(createdAt) : null;
  return (
    <dl className="facts">
      {createdAt !== undefined && (
        <Fact name="created">
          <time dateTime={createdAt} title={dayAndTime(createdAt)}>
            {moment(createdAt, now)}
          </time>
        </Fact>
      )}
      {queued !== null && <Fact name="queued">{duration(queued)}</Fact>}
      {startedBy !== undefined && schedule === undefined && parent === undefined && (
        <Fact name="started by">{startedBy}</Fact>
      )}
      {waitingSteps(view)
        .slice(0, MOST_WAITS)
        .map((step) => (
          <Fact key={step} name="waits in">
            <Link to="/runs/$runId" params={{ runId }} search={(known) => ({ ...known, step })}>
              {step}
            </Link>
          </Fact>
        ))}
      {schedule !== undefined && <Fact name="schedule">{schedule.scheduleId}</Fact>}
      {parent !== undefined && (
        <Fact name="child of">
          <Link to="/runs/$runId" params={{ runId: parent.runId }} search={{ step: parent.stepId }}>
            {parent.stepId}
          </Link>
        </Fact>
      )}
      {fork !== undefined && (
        <Fact name="fork of">
          <Link to="/runs/$runId" params={{ runId: fork.runId }} search={{ seq: fork.seq, step: fork.from }}>
            {shortId(fork.runId)}
          </Link>{" "}
          from {fork.from}
        </Fact>
      )}
      {engineRunRef !== undefined && (
        <Fact name="engine run">{typeof engineRunRef === "string" ? engineRunRef : JSON.stringify(engineRunRef)}</Fact>
      )}
      {runRequestId !== undefined && !runRequestId.startsWith("req_") && <Fact name="request">{runRequestId}</Fact>}
      {Object.entries(labels ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd className="cut">{children}</dd>
    </div>
  );
}

function copyLink(): void {
  void copy(location.href).then(() => tell("The link is in the clipboard"), tellFailure);
}

function elapsed({ header: { startedAt, completedAt, totalDurationMs } }: RunView, now: number): string {
  if (totalDurationMs !== undefined) return duration(totalDurationMs);
  if (startedAt === undefined) return "not started";
  return duration((completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt));
}
