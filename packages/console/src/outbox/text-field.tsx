import type { ComponentProps } from "react";

interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly onChange: (text: string) => void;
}

export function TextField({ label, value, hint, onChange, ...rest }: TextFieldProps) {
  return (
    <label className="labelled">
      <span>{label}</span>
      <input className="field" {...rest} value={value} onChange={({ target }) => onChange(target.value)} />
      {hint !== undefined && <span className="hint">{hint}</span>}
    </label>
  );
}
