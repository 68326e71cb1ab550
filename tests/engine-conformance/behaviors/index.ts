/** All behaviors, one file each. */
import type { Behavior } from "../behavior.js";
import { approval } from "./approval.js";
import { cancel } from "./cancel.js";
import { children } from "./children.js";
import { compensation } from "./compensation.js";
import { continueOnFailure } from "./continue-on-failure.js";
import { deadline } from "./deadline.js";
import { failure } from "./failure.js";
import { finishedActions } from "./finished-actions.js";
import { forEach } from "./for-each.js";
import { fork } from "./fork.js";
import { largeOutput } from "./large-output.js";
import { liveActions } from "./live-actions.js";
import { noRetry } from "./no-retry.js";
import { pause } from "./pause.js";
import { repeat } from "./repeat.js";
import { retries } from "./retries.js";
import { signalTimeout } from "./signal-timeout.js";
import { signals } from "./signals.js";
import { sleep } from "./sleep.js";
import { state } from "./state.js";
import { stepTools } from "./step-tools.js";
import { timeouts } from "./timeouts.js";
import { when } from "./when.js";

export const behaviors: readonly Behavior[] = [
  approval,
  cancel,
  children,
  compensation,
  continueOnFailure,
  deadline,
  failure,
  finishedActions,
  forEach,
  fork,
  largeOutput,
  liveActions,
  noRetry,
  pause,
  repeat,
  retries,
  signalTimeout,
  signals,
  sleep,
  state,
  stepTools,
  timeouts,
  when,
];
