import type { WorkflowVersion } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { diffPlans, type Change, type FieldChange } from "./plan-diff.js";

interface VersionDiffProps {
  readonly before: WorkflowVersion;
  readonly after: WorkflowVersion;
}

export function VersionDiff({ before, after }: VersionDiffProps) {
  const changes = diffPlans(before.plan as unknown as Plan, after.plan as unknown as Plan);
  return (
    <section className="version-diff" aria-label="Changes">
      <h2>
        {before.version} → {after.version}
      </h2>
      {changes.length === 0 && (
        <p className="quiet">Steps and options are identical. Code inside steps is not compared.</p>
      )}
      <ul>
        {changes.map((change) => (
          <ChangeLine key={`${change.kind} ${change.path}`} change={change} />
        ))}
      </ul>
    </section>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

function ChangeLine({ change: { path, kind, fields } }: { readonly change: Change }) {
  return (
    <li className="change" data-change={kind}>
      <span className="change-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <span>
        <b>{path}</b> <span className="quiet">{kind}</span>
        {fields.map((field) => (
          <Field key={field.name} field={field} />
        ))}
      </span>
    </li>
  );
}

function Field({ field: { name, before, after } }: { readonly field: FieldChange }) {
  return (
    <span className="change-field mono">
      {name} {before !== null && <del>{before}</del>}
      {before !== null && after !== null && " → "}
      {after !== null && <ins>{after}</ins>}
    </span>
  );
}
