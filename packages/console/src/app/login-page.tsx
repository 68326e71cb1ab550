import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Glyph } from "../ui/glyph.js";
import { logIn } from "./session.js";

/** Looked at before the router goes on to a page: an address with a token that the server does not know led here. */
const WAS_REFUSED = location.hash === "#token-refused";

/** For a browser that the server does not know. The address that `runledger dev` prints needs none of this. */
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
          <Glyph name="ledger" size={22} /> Runledger
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
              "The token in that address is not valid, or no longer. Open the one that the server prints now."}
          </p>
        )}
        <button type="submit" className="button primary" disabled={isPending || token === ""}>
          Log in
        </button>
        <p className="quiet">
          On this machine, open the address that the server printed: it holds the token. Elsewhere, an admin makes keys
          with <code>runledger keys create</code>.
        </p>
      </form>
    </main>
  );
}
