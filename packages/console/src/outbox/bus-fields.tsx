import { JsonField } from "../ui/json-field.js";
import type { Draft } from "./subscription-form.js";
import { TextField } from "./text-field.js";

interface BusFieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** The receiver of the events. */
export function BusFields({ draft, onChange }: BusFieldsProps) {
  return (
    <fieldset className="fields">
      <legend>Receiver</legend>
      <label className="labelled">
        <span>Bus</span>
        <select
          className="field"
          value={draft.bus}
          onChange={({ target }) => onChange({ bus: target.value as Draft["bus"] })}
        >
          <option value="webhook">Webhook</option>
          <option value="openlineage">OpenLineage</option>
          <option value="other">Another bus of the configuration</option>
        </select>
      </label>
      {draft.bus === "webhook" && <WebhookFields draft={draft} onChange={onChange} />}
      {draft.bus === "openlineage" && <OpenLineageFields draft={draft} onChange={onChange} />}
      {draft.bus === "other" && (
        <JsonField label="Type and settings" value={draft.settings} onChange={(settings) => onChange({ settings })} />
      )}
    </fieldset>
  );
}

function WebhookFields({ draft, onChange }: BusFieldsProps) {
  return (
    <>
      <TextField
        label="URL"
        type="url"
        required
        placeholder="https://example.com/hooks/runledger"
        value={draft.url}
        onChange={(url) => onChange({ url })}
      />
      <TextField
        label="Names of signing keys"
        placeholder="billing-webhook"
        hint="Names only. The server reads the keys from its secrets; two names rotate a key."
        value={draft.secrets}
        onChange={(secrets) => onChange({ secrets })}
      />
      <TextField
        label="Events per request"
        type="number"
        min={1}
        max={50}
        required
        value={draft.batchSize}
        onChange={(batchSize) => onChange({ batchSize })}
      />
    </>
  );
}

function OpenLineageFields({ draft, onChange }: BusFieldsProps) {
  return (
    <>
      <TextField
        label="URL"
        type="url"
        required
        placeholder="https://lineage.example.com"
        hint="Without /api/v1/lineage."
        value={draft.url}
        onChange={(url) => onChange({ url })}
      />
      <TextField
        label="Namespace of jobs"
        required
        value={draft.namespace}
        onChange={(namespace) => onChange({ namespace })}
      />
      <TextField
        label="Name of the API key"
        placeholder="lineage-key"
        hint="A name that starts with lineage-. The server reads the key from its secrets."
        value={draft.secret}
        onChange={(secret) => onChange({ secret })}
      />
    </>
  );
}
