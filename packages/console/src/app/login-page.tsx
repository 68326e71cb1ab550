import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { logIn } from "../api/session.js";

/** The server redirected a link with an invalid token to here. Read once, before the router changes the hash. */
const WAS_REFUSED = location.hash === "#token-refused";

/** Shown to a browser without a session. The link that `runledger dev` prints signs the browser in without it. */
export function LoginPage() {
  const [token, setToken] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: logIn });
  return (
    <main className="login">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(token);
        }}
      >
        <h1 className="row">
          <Icon name="ledger" size={22} /> Runledger
        </h1>
        <label className="labelled">
          <span>API key or token</span>
          <input
            className="field mono"
            type="password"
            autoComplete="off"
            required
            value={token}
            aria-invalid={error !== null}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        {(error !== null || WAS_REFUSED) && (
          <p className="tone-bad" role="alert">
            {error?.message ??
              "The token in this link is invalid or has expired. Open the link that the server prints now."}
          </p>
        )}
        <Button type="submit" variant="primary" disabled={isPending || token === ""}>
          Log in
        </Button>
        <p className="quiet">
          On this machine, open the link that the server printed; it contains the token. On other machines, ask an admin
          to create a key with <code>runledger keys create</code>.
        </p>
      </form>
    </main>
  );
}
