import { Glyph } from "../ui/glyph.js";
import { useConnection } from "./connection.js";

export function ConnectionMark() {
  const connection = useConnection();
  if (connection === "idle") return null;
  const isLive = connection === "connected";
  return (
    <span className={`connection ${isLive ? "tone-good" : "tone-wait"}`} role="status" data-connection={connection}>
      <Glyph name={isLive ? "live" : "alert"} size={12} />
      <span>{isLive ? "Live" : "Connection lost, trying again"}</span>
    </span>
  );
}
