import { Empty } from "../ui/states.js";

export function NoRuns({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (!isFiltered)
    return (
      <Empty title="No runs yet">
        <p>The first one shows up here by itself. Start one from a project:</p>
        <code>npx runledger run FILE --wait</code>
      </Empty>
    );
  return (
    <Empty title="No run fits these filters">
      <p>New ones that do show up here by themselves.</p>
      <button type="button" className="button" onClick={onClear}>
        Clear filters
      </button>
    </Empty>
  );
}
