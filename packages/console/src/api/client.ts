import { RunledgerClient } from "@runledger/client";

/** Calls the server that served the page, with the session cookie. */
export const client = new RunledgerClient();
