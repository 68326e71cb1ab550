import type { AccessKeyRequest } from "@runledger/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { queryClient } from "../api/query-client.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { toastError } from "../ui/toasts.js";

const ROLES: Readonly<Record<AccessKeyRequest["role"], string>> = {
  viewer: "can view runs",
  operator: "can also control runs",
  engineer: "can also publish workflows",
  admin: "can also manage keys",
};

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<AccessKeyRequest["role"]>("viewer");
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => client.createKey({ name, role }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["keys"] }),
    onError: toastError,
  });
  return (
    <Dialog
      title="Create API key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{data === undefined ? "Cancel" : "Done"}</Button>
          {data === undefined && (
            <Button type="submit" form="key-form" variant="primary" disabled={isPending || name === ""}>
              Create
            </Button>
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
          <p>Copy this secret now. It is not shown again.</p>
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
