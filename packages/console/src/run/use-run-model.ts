/** The model of a run, which lives in a worker, for as long as its page is there. */
import { ProblemError, type Problem } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { useEffect, useRef, useState } from "react";
import { setConnection } from "../app/connection.js";
import { connectHub } from "../live/connect-hub.js";
import { whenSeen } from "../live/when-seen.js";
import type { FromModel, Look, RunView, ToModel } from "./model/view.js";

interface ModelState {
  readonly view: RunView | null;
  readonly error: Error | null;
}

/** `look` must be the same object as long as it asks the same. */
export function useRunModel(runId: string, plan: Plan | null, look: Look): ModelState {
  const worker = useRef<Worker | null>(null);
  const [state, setState] = useState<ModelState>({ view: null, error: null });

  useEffect(() => {
    setState({ view: null, error: null });
    const own = new Worker(new URL("./model/model-worker.ts", import.meta.url), { type: "module" });
    const hub = connectHub();
    own.onmessage = ({ data }: MessageEvent<FromModel>) => {
      if (data.type === "view") setState({ view: data.view, error: null });
      else if (data.type === "connection") setConnection(data.state);
      else setState(({ view }) => ({ view, error: errorOf(data.problem, data.message) }));
    };
    void hub.then(({ port }) => own.postMessage({ type: "open", runId, hub: port } satisfies ToModel, [port]));
    const stop = whenSeen((isSeen) => own.postMessage({ type: "seen", isSeen } satisfies ToModel));
    worker.current = own;
    return () => {
      stop();
      void hub.then(({ leave }) => leave());
      own.terminate();
      worker.current = null;
      setConnection("idle");
    };
  }, [runId]);

  useEffect(() => worker.current?.postMessage({ type: "look", look } satisfies ToModel), [runId, look]);
  useEffect(() => worker.current?.postMessage({ type: "plan", plan } satisfies ToModel), [runId, plan]);
  return state;
}

function errorOf(problem: Problem | null, message: string): Error {
  return problem === null ? new Error(message) : new ProblemError(problem);
}
