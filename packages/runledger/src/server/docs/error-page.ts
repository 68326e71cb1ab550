import { errorCodes, type ErrorCode, type ErrorFamily } from "@runledger/contracts";
import { html, type Html } from "./html.js";

const WHAT_TO_DO = {
  "fix-input": "The same request will fail again. Change the part that the problem's field names, as its detail says.",
  retry:
    "The same request may succeed later. Send it again after the time in Retry-After, with the same requestId or signalId.",
  stop: "Neither repeating nor changing the request helps. The problem's detail says why, and what can be done instead.",
} as const satisfies Record<ErrorFamily, string>;

/** Null = there is no such code. */
export function errorPage(code: string): Html | null {
  if (!Object.hasOwn(errorCodes, code)) return null;
  const family = errorCodes[code as ErrorCode];
  return html`<h1>${code}</h1>
    <p>${WHAT_TO_DO[family]}</p>
    <p>
      More about it: <code>docs/errors/${code}.md</code> of the Runledger repository. <a href="/api/docs">The API</a>
    </p>`;
}
