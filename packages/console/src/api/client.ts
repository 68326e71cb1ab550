import { RunledgerClient } from "@runledger/client";

/** Where the page is from, with the session's cookie. */
export const client = new RunledgerClient();
