/** Puts the message and the stack of a failure into a payload, so that the codec encrypts them, too. */
import { DefaultFailureConverter } from "@temporalio/common";

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
