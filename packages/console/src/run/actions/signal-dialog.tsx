import type { Json } from "@runledger/contracts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api/client.js";
import { Dialog } from "../../ui/dialog.js";
import { JsonField, readJson } from "../../ui/json-field.js";
import { tell, tellFailure } from "../../ui/toasts.js";
import type { RunView } from "../model/view.js";

interface SignalDialogProps {
  readonly runId: string;
  readonly view: RunView;
  /** What is waited for, where that is known. */
  readonly name?: string;
  readonly onClose: () => void;
}

export function SignalDialog({ runId, view, name, onClose }: SignalDialogProps) {
  const awaited = name ?? view.rows.find(({ status, signal }) => status === "WAITING" && signal !== null)?.signal ?? "";
  const [chosen, setName] = useState(awaited);
  const [text, setText] = useState("");
  const payload = readJson(text);
  const { mutate, isPending } = useMutation({
    mutationFn: (value: Json) => client.signal(runId, chosen, value),
    onSuccess: () => {
      tell(`“${chosen}” was sent`);
      onClose();
    },
    onError: tellFailure,
  });
  return (
    <Dialog
      title="Send a signal"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
          <button
            type="submit"
            form="signal-form"
            className="button primary"
            disabled={isPending || chosen === "" || payload.error !== null}
          >
            Send
          </button>
        </>
      }
    >
      <form
        id="signal-form"
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (payload.error === null) mutate(payload.value);
        }}
      >
        <label className="labelled">
          <span>Name</span>
          <input className="field" value={chosen} required onChange={({ target }) => setName(target.value)} />
        </label>
        <JsonField label="Payload" value={text} onChange={setText} />
      </form>
      <p className="quiet">It is kept until the run waits for it, and recorded with your name.</p>
    </Dialog>
  );
}
