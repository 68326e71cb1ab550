import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../ui/button.js";
import type { PartitionSearch } from "./search.js";

interface RangeFormProps {
  readonly search: PartitionSearch;
  /** The partitions that are shown. */
  readonly shown: { readonly from: string; readonly to: string };
}

/** Selects the partitions to show. The URL has them. */
export function RangeForm({ search, shown }: RangeFormProps) {
  const navigate = useNavigate({ from: "/workflows/$workflowId/partitions" });
  return (
    <form
      key={JSON.stringify(search)}
      className="row partition-range"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: "from" | "to") => {
          const value = form.get(name);
          return typeof value === "string" && value.trim() !== "" ? { [name]: value.trim() } : {};
        };
        void navigate({ search: { ...text("from"), ...text("to") } });
      }}
    >
      <label>
        From <input className="field" name="from" defaultValue={search.from ?? ""} placeholder={shown.from} />
      </label>
      <label>
        to <input className="field" name="to" defaultValue={search.to ?? ""} placeholder={shown.to} />
      </label>
      <Button type="submit" size="small">
        Show
      </Button>
    </form>
  );
}
