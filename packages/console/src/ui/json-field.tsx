import type { Json } from "@runledger/contracts";

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text area for JSON. An empty text is `null`. */
export function JsonField({ label, value, onChange }: JsonFieldProps) {
  const { error } = readJson(value);
  return (
    <label className="labelled">
      <span>{label}</span>
      <textarea
        className="field"
        rows={5}
        spellCheck={false}
        placeholder='{ "by": "you" }'
        aria-invalid={error !== null}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {error !== null && <span className="tone-bad">{error}</span>}
    </label>
  );
}

type ReadJson = { readonly value: Json; readonly error: null } | { readonly error: string };

export function readJson(text: string): ReadJson {
  if (text.trim() === "") return { value: null, error: null };
  try {
    return { value: JSON.parse(text) as Json, error: null };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
