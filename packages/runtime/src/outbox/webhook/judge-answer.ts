import { BusUnavailableError } from "../event-bus.js";
import type { Answer } from "./send-request.js";

/** Answers that do not concern the event: the endpoint is wrong, busy or moved. */
const NOT_THE_EVENT = new Set([401, 403, 404, 405, 407, 408, 410, 421, 425, 429, 502, 503, 504]);
const MAX_RETRY_AFTER_S = 3600;

/** Throws unless the endpoint accepted the request. `receiver` names it in the message. */
export function judgeAnswer({ status, retryAfter, text }: Answer, receiver: string): void {
  if (status >= 200 && status < 300) return;
  const message = `${receiver} answered ${status}${text === "" ? "." : `: ${text}`}`;
  if (status >= 300 && status < 400) throw new BusUnavailableError(`${message} Redirects are not followed.`);
  if (!NOT_THE_EVENT.has(status)) throw new Error(message);
  const seconds = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), MAX_RETRY_AFTER_S) : 0;
  throw new BusUnavailableError(message, seconds * 1000);
}
