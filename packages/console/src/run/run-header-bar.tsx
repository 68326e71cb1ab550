import { untakenSignals } from "@runledger/core";
import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "../ui/button.js";
import { copy } from "../ui/copy.js";
import { dayAndTime, duration, moment, shortId } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { useNow } from "../ui/now.js";
import { DamageNotice } from "../ui/states.js";
import { Status } from "../ui/status.js";
import { toast, toastError } from "../ui/toasts.js";
import { RunActions } from "./actions/run-actions.js";
import { EngineRun } from "./engine-run.js";
import type { RunView } from "./model/view.js";

/** More would push the timeline off the screen. */
const MAX_WAITS = 3;

export function RunHeaderBar({ runId, view }: { readonly runId: string; readonly view: RunView }) {
  const { header } = view;
  const now = useNow();
  return (
    <header className="run-head">
      <div className="row run-title">
        <Status of="run" status={header.status} waitsFor={view.waitsFor} />
        <Title header={header} />
        <Elapsed view={view} />
        <span className="mono quiet cut run-id">{header.runId}</span>
        <Button variant="plain" title="Anyone who opens the link sees this view" onClick={copyLink}>
          <Icon name="link" />
          <span className="wide-only">Copy link</span>
        </Button>
        <Link className={buttonClass({ variant: "plain" })} to="/compare" search={{ a: runId }}>
          Compare
        </Link>
        <RunActions runId={runId} view={view} />
      </div>
      <Facts runId={runId} view={view} now={now} />
      {view.damage !== null && <DamageNotice damage={view.damage} />}
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

/** Steps that wait for a signal or a time. The header links to them, because the user may be the one to act. */
function waitingSteps({ header: { status }, paths }: RunView): readonly string[] {
  if (status !== "RUNNING") return [];
  return Object.values(paths).flatMap((path) => (path.status === "WAITING" ? [path.example] : []));
}

function Facts({ runId, view, now }: { readonly runId: string; readonly view: RunView; readonly now: number }) {
  const { header } = view;
  const { createdAt, startedAt, schedule, parent, fork, engineRunRef, labels, runRequestId, startedBy, erased } =
    header;
  const untaken = untakenSignals(header);
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
      {erased !== undefined && (
        <Fact name="erased">
          <time dateTime={erased.at} title={dayAndTime(erased.at)}>
            {moment(erased.at, now)}
          </time>{" "}
          by {erased.by}
        </Fact>
      )}
      {queued !== null && <Fact name="queued">{duration(queued)}</Fact>}
      {(view.idleMs ?? 0) > 0 && <Fact name="idle">{duration(view.idleMs!)}</Fact>}
      {startedBy !== undefined && schedule === undefined && parent === undefined && (
        <Fact name="started by">{startedBy}</Fact>
      )}
      {waitingSteps(view)
        .slice(0, MAX_WAITS)
        .map((step) => (
          <Fact key={step} name="waiting in">
            <Link to="/runs/$runId" params={{ runId }} search={(known) => ({ ...known, step })}>
              {step}
            </Link>
          </Fact>
        ))}
      {untaken !== null && <Fact name="untaken signals">{untaken}</Fact>}
      {schedule !== undefined && <Fact name="schedule">{schedule.scheduleId}</Fact>}
      {parent !== undefined && (
        <Fact name="child of">
          <Link to="/runs/$runId" params={{ runId: parent.runId }} search={{ step: parent.stepId }}>
            <span className="mono">{shortId(parent.runId)}</span>, step {parent.stepId}
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
      {engineRunRef !== undefined && !isEmbedded(engineRunRef) && (
        <Fact name="engine run">
          <EngineRun engineRunRef={engineRunRef} />
        </Fact>
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

/** A worker of the embedded engine is no platform that a user could look at. */
function isEmbedded(engineRunRef: unknown): boolean {
  return (engineRunRef as { readonly engine?: unknown } | null)?.engine === "embedded";
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
  void copy(location.href).then(() => toast("Link copied"), toastError);
}

/** The time in which steps worked. Waits, delays before a retry and approvals do not count. */
function Elapsed({ view }: { readonly view: RunView }) {
  const total = totalMs(view);
  if (total === null) return <span className="number">not started</span>;
  const idle = view.idleMs ?? 0;
  return (
    <span className="number" data-elapsed title={`${duration(total)} since the start, ${duration(idle)} of it idle`}>
      {duration(total - idle)}
    </span>
  );
}

function totalMs({ header: { startedAt, completedAt, totalDurationMs }, time: { now } }: RunView): number | null {
  if (totalDurationMs !== undefined) return totalDurationMs;
  if (startedAt === undefined) return null;
  return (completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt);
}
