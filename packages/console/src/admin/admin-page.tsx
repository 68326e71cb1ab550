import { useRefusal } from "../app/session.js";
import { Empty } from "../ui/states.js";
import { AuditTable } from "./audit-table.js";
import { KeyTable } from "./key-table.js";

/** Who may call the server, and what was denied or administered. */
export function AdminPage() {
  const refusal = useRefusal("admin");
  if (refusal !== null)
    return (
      <Empty title="This page is for admins">
        <p>{refusal}</p>
      </Empty>
    );
  return (
    <div className="columns">
      <KeyTable />
      <AuditTable />
    </div>
  );
}
