/** Builds a form from a JSON Schema. Falls back to a JSON text area if the schema does not name fields. */
import type { Json, JsonObject } from "@runledger/contracts";
import { useId, useState } from "react";
import { JsonField, readJson } from "./json-field.js";
import { fieldsOf, initialValues, readValues, type Field, type Values } from "./schema-fields.js";

interface SchemaFormProps {
  readonly id: string;
  readonly schema: JsonObject | null;
  /** The label of the JSON text area. */
  readonly label: string;
  readonly onSubmit: (value: Json) => void;
}

export function SchemaForm({ id, schema, label, onSubmit }: SchemaFormProps) {
  const fields = fieldsOf(schema);
  const [values, setValues] = useState<Values>(() => initialValues(fields ?? []));
  const [text, setText] = useState("");
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const submit = (): void => {
    if (fields === null) {
      const read = readJson(text);
      if (read.error === null) onSubmit(read.value);
      return;
    }
    const read = readValues(fields, values);
    setProblems(read.problems);
    if (Object.keys(read.problems).length === 0) onSubmit(read.value);
  };
  return (
    <form
      id={id}
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {fields === null ? (
        <JsonField label={label} value={text} onChange={setText} />
      ) : (
        fields.map((field) => (
          <SchemaField
            key={field.name}
            field={field}
            value={values[field.name]!}
            problem={problems[field.name]}
            onChange={(value) => {
              setValues({ ...values, [field.name]: value });
              setProblems(Object.fromEntries(Object.entries(problems).filter(([name]) => name !== field.name)));
            }}
          />
        ))
      )}
      {fields?.length === 0 && <p className="quiet">No input needed.</p>}
    </form>
  );
}

interface SchemaFieldProps {
  readonly field: Field;
  readonly value: string | boolean;
  readonly problem: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

function SchemaField({ field, value, problem, onChange }: SchemaFieldProps) {
  const { name, kind, choices, isRequired, description, example } = field;
  const notes = useId();
  if (kind === "boolean")
    return (
      <label className="row">
        <input type="checkbox" checked={value === true} onChange={({ target }) => onChange(target.checked)} />
        {name}
        {description !== null && <span className="hint">{description}</span>}
      </label>
    );
  const shared = {
    className: "field",
    "aria-invalid": problem !== undefined,
    "aria-required": isRequired,
    "aria-describedby": notes,
    value: String(value),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <div className="labelled">
      <label className="labelled">
        <span>
          {name} {!isRequired && <span className="quiet">optional</span>}
        </span>
        {kind === "choice" ? (
          <select {...shared}>
            {!isRequired && <option value="" />}
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : kind === "json" ? (
          <textarea {...shared} rows={4} spellCheck={false} />
        ) : (
          <input {...shared} inputMode={kind === "number" ? "decimal" : "text"} placeholder={example ?? undefined} />
        )}
      </label>
      <div id={notes} className="labelled">
        {description !== null && <span className="hint">{description}</span>}
        {problem !== undefined && <span className="tone-bad">{problem}</span>}
      </div>
    </div>
  );
}
