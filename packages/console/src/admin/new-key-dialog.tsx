import type { AccessKeyRequest } from "@runledger/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { queryClient } from "../api/query-client.js";
import { Dialog } from "../ui/dialog.js";
import { tellFailure } from "../ui/toasts.js";

const ROLES: Readonly<Record<AccessKeyRequest["role"], string>> = {
  viewer: "sees runs",
  operator: "also steers them",
  engineer: "also publishes workflows",
  admin: "also makes keys",
};

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<AccessKeyRequest["role"]>("viewer");
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => client.createKey({ name, role }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["keys"] }),
    onError: tellFailure,
  });
  return (
    <Dialog
      title="New API key"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            {data === undefined ? "Leave it" : "Done"}
          </button>
          {data === undefined && (
            <button type="submit" form="key-form" className="button primary" disabled={isPending || name === ""}>
              Make it
            </button>
          )}
        </>
      }
    >
      {data === undefined ? (
        <form
          id="key-form"
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <label className="labelled">
            <span>Name</span>
            <input className="field" required value={name} onChange={({ target }) => setName(target.value)} />
          </label>
          <label className="labelled">
            <span>Role</span>
            <select
              className="field"
              value={role}
              onChange={({ target }) => setRole(target.value as AccessKeyRequest["role"])}
            >
              {Object.entries(ROLES).map(([one, may]) => (
                <option key={one} value={one}>
                  {one}: {may}
                </option>
              ))}
            </select>
          </label>
        </form>
      ) : (
        <>
          <p>This is its secret. It is shown once; copy it now.</p>
          <input
            className="field mono"
            readOnly
            value={data.secret}
            aria-label="Secret"
            onFocus={({ target }) => target.select()}
          />
        </>
      )}
    </Dialog>
  );
}
