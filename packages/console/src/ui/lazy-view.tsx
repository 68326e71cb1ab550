/**
 * Loads the code of a page or view on demand. If the server is away, the user stays in the app: the view shows a
 * message, and loads when the server is back.
 */
import { useEffect, useReducer, useState, type ComponentType } from "react";
import { isServerThere, ServerUnreachableError } from "../unreachable.js";
import { Failure, Loading } from "./states.js";

const RETRY_MS = 3000;
const RELOADED = "runledger-reloaded-at";
const MIN_RELOAD_MS = 60_000;

/** The server did not respond at some time since the page was loaded. */
let wasAway = false;

interface LazyView<P> {
  (props: P): React.ReactNode;
  /** Loads the code ahead of time. A failure is ignored, because the view reports it. */
  preload(): Promise<void>;
}

export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): LazyView<P> {
  let Loaded: ComponentType<P> | null = null;
  const view = (props: P): React.ReactNode => {
    const [, render] = useReducer((count: number) => count + 1, 0);
    const [error, setError] = useState<Error | null>(null);
    const [attempt, retry] = useReducer((count: number) => count + 1, 0);
    useEffect(() => {
      if (Loaded !== null) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isStopped = false;
      void load().then(
        (component) => {
          Loaded = component;
          if (!isStopped) render();
        },
        async (problem: unknown) => {
          if (await isServerThere()) reload();
          else wasAway = true;
          if (isStopped) return;
          setError(new ServerUnreachableError("The code of this page could not be loaded.", { cause: problem }));
          timer = setTimeout(retry, RETRY_MS);
        },
      );
      return () => {
        isStopped = true;
        clearTimeout(timer);
      };
    }, [attempt]);
    if (Loaded !== null) return <Loaded {...props} />;
    return error === null ? <Loading label="Loading page" /> : <Failure error={error} onRetry={retry} />;
  };
  const preload = async (): Promise<void> => {
    Loaded ??= await load().catch(() => null);
  };
  return Object.assign(view, { preload });
}

/**
 * The server is there, but not this code: browsers remember that it was away, or a new version has replaced the code. A
 * reload helps in both cases. It is limited, because it does not help if the new version is broken.
 */
function reload(): void {
  if (!wasAway && Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < MIN_RELOAD_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}
