import { Icon } from "../ui/icon.js";
import { useConnection } from "../api/connection.js";

export function ConnectionMark() {
  const connection = useConnection();
  if (connection === "idle") return null;
  const isLive = connection === "connected";
  return (
    <span className={`connection ${isLive ? "tone-good" : "tone-wait"}`} role="status" data-connection={connection}>
      <Icon name={isLive ? "live" : "alert"} size={12} />
      <span>{isLive ? "Live" : "Connection lost. Reconnecting…"}</span>
    </span>
  );
}
