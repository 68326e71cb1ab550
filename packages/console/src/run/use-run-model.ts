import { ProblemError, type Problem } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { useEffect, useReducer, useRef, useState } from "react";
import { setConnection } from "../api/connection.js";
import { isUnreachable, ServerUnreachableError } from "../unreachable.js";
import { connectHub } from "../live/connect-hub.js";
import { onVisibilityChange } from "../live/visibility.js";
import type { FromModel, ViewQuery, RunView, ToModel } from "./model/view.js";

interface ModelState {
  readonly view: RunView | null;
  readonly error: Error | null;
}

/** How often a run is opened again that could not be opened. */
const RETRY_MS = 3000;

/** Runs the model of a run in a worker while its page is mounted. `query` must keep its identity while it is unchanged. */
export function useRunModel(runId: string, plan: Plan | null, query: ViewQuery) {
  const worker = useRef<Worker | null>(null);
  const [state, setState] = useState<ModelState>({ view: null, error: null });
  const [attempt, retry] = useReducer((count: number) => count + 1, 0);

  useEffect(() => setState({ view: null, error: null }), [runId]);
  useEffect(() => {
    const own = new Worker(new URL("./model/model-worker.ts", import.meta.url), { type: "module" });
    const hub = connectHub();
    own.onmessage = ({ data }: MessageEvent<FromModel>) => {
      if (data.type === "view") setState({ view: data.view, error: null });
      else if (data.type === "connection") setConnection(data.state);
      else setState(({ view }) => ({ view, error: errorOf(data.problem, data.message) }));
    };
    own.onerror = () => setState(({ view }) => ({ view, error: new ServerUnreachableError("The model of the run.") }));
    void hub.then(({ port }) => own.postMessage({ type: "open", runId, hub: port } satisfies ToModel, [port]));
    const stop = onVisibilityChange((isVisible) =>
      own.postMessage({ type: "visibility", isVisible } satisfies ToModel),
    );
    worker.current = own;
    return () => {
      stop();
      void hub.then(({ leave }) => leave());
      own.terminate();
      worker.current = null;
      setConnection("idle");
    };
  }, [runId, attempt]);

  useEffect(() => worker.current?.postMessage({ type: "query", query } satisfies ToModel), [runId, query, attempt]);
  useEffect(() => worker.current?.postMessage({ type: "plan", plan } satisfies ToModel), [runId, plan, attempt]);
  useEffect(() => {
    if (state.view !== null || !isUnreachable(state.error)) return;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return { ...state, retry };
}

function errorOf(problem: Problem | null, message: string): Error {
  return problem === null ? new Error(message) : new ProblemError(problem);
}
