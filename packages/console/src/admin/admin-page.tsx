import { useRefusal } from "../api/session.js";
import { Empty } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { AuditTable } from "./audit-table.js";
import { KeyTable } from "./key-table.js";

export function AdminPage() {
  useTitle("Admin");
  const refusal = useRefusal("admin");
  if (refusal !== null)
    return (
      <Empty title="Only admins can view this page">
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
