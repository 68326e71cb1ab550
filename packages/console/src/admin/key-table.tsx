import type { AccessKey } from "@runledger/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.js";
import { queryClient } from "../api/query-client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { ConfirmDialog } from "../ui/confirm-dialog.js";
import { moment, relative } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Failure, Loading } from "../ui/states.js";
import { toast, toastError } from "../ui/toasts.js";
import { NewKeyDialog } from "./new-key-dialog.js";

export function KeyTable() {
  const query = useQuery({ queryKey: ["keys"], queryFn: () => client.listKeys() });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  const [isAdding, setAdding] = useState(false);
  const now = useNow();
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>API keys</h2>
        <Button size="small" onClick={() => setAdding(true)}>
          Create key
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Loading keys" />}
      {data?.items.length === 0 && (
        <p className="panel-note">No API keys yet. The data directory’s token still works on this machine.</p>
      )}
      {data !== undefined && data.items.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Role</th>
              <th>Tenant</th>
              <th>Created</th>
              <th>Last used</th>
              <th>Expires</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {data.items.map((key) => (
              <KeyRow key={key.keyId} accessKey={key} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {isAdding && <NewKeyDialog onClose={() => setAdding(false)} />}
    </section>
  );
}

function KeyRow({ accessKey, now }: { readonly accessKey: AccessKey; readonly now: number }) {
  const { keyId, name, role, tenantId, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt } = accessKey;
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.revokeKey(keyId),
    onSuccess: () => {
      toast(`Key ${name} revoked`);
      void queryClient.invalidateQueries({ queryKey: ["keys"] });
    },
    onError: toastError,
  });
  return (
    <tr className={revokedAt === null ? "" : "gone"}>
      <td title={keyId}>{name}</td>
      <td>{role}</td>
      <td>{tenantId === "*" ? "any" : tenantId}</td>
      <td title={`by ${createdBy}`}>{moment(createdAt, now)}</td>
      <td>{lastUsedAt === null ? "never" : relative(lastUsedAt, now)}</td>
      <td>{expiresAt === null ? "never" : moment(expiresAt, now)}</td>
      <td className="end">
        {revokedAt === null ? (
          <Button variant="danger" size="small" disabled={isPending} onClick={() => setAsking(true)}>
            Revoke
          </Button>
        ) : (
          "revoked"
        )}
        {isAsking && (
          <ConfirmDialog
            title={`Revoke the key ${name}?`}
            dismiss="Keep key"
            confirm="Revoke key"
            onConfirm={() => mutate()}
            onClose={() => setAsking(false)}
          >
            Requests and sessions with this key are refused from now on. A revoked key cannot be restored.
          </ConfirmDialog>
        )}
      </td>
    </tr>
  );
}
