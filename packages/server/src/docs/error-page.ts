import { type ErrorCode, errorCodes, type ErrorFamily } from "@runledger/contracts";
import { type Html, html } from "./html.js";

const REMEDIES = {
  "fix-input":
    "The same request will fail again. Change the part that the problem names as its field, as its detail describes.",
  retry:
    "The same request may succeed later. Send it again after the time in Retry-After, with the same requestId or signalId.",
  stop: "Neither repeating nor changing the request helps. The problem's detail explains why and what to do instead.",
} as const satisfies Record<ErrorFamily, string>;

/** `null` if the code does not exist. */
export function errorPage(code: string): Html | null {
  if (!Object.hasOwn(errorCodes, code)) return null;
  const family = errorCodes[code as ErrorCode];
  return html`<h1>${code}</h1>
    <p>${REMEDIES[family]}</p>
    <p>
      More: <code>docs/errors/${code}.md</code> in the Runledger repository. <a href="/api/docs">API reference</a>
    </p>`;
}
