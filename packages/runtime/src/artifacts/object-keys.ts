/**
 * Names of artifacts in a folder or a bucket: `<run>/<artifact>/<attempt>/<step>/<kind>`, or `<run>/<artifact>/<kind>` for an
 * artifact of the run as a whole. The id makes every name unique, and the rest tells a person what the object is.
 */
import { createHash } from "node:crypto";
import { omitUndefined, type NewArtifact, type StoredArtifact, type StoredObject } from "@runledger/contracts";

/** File systems allow 255 bytes. */
const MAX_PART_BYTES = 200;
const PLAIN = /[A-Za-z0-9_.-]/;

export function runPrefix(runId: string): string {
  return `${encoded(runId)}/`;
}

export function objectKey({ runId, stepId, attempt = 1, kind }: Omit<NewArtifact, "uri">, id: string): string {
  const step = stepId === undefined ? [] : [String(attempt), keyPart(stepId)];
  return [encoded(runId), id, ...step, keyPart(kind)].join("/");
}

/** Returns `null` if the name is not one of an artifact. */
export function readObject(
  { key, sizeBytes, createdAt }: StoredObject,
  at: { readonly runId: string; readonly url: string },
): StoredArtifact | null {
  const parts = key.split("/").slice(1).map(fromKeyPart);
  if (parts.length !== 2 && parts.length !== 4) return null;
  const [attempt, stepId] = parts.length === 4 ? [Number(parts[1]), parts[2]] : [];
  const step = omitUndefined({ stepId, attempt });
  return { uri: `${at.url}/${key}`, runId: at.runId, kind: parts.at(-1)!, ...step, sizeBytes, createdAt };
}

/** Returns `null` for an artifact of the run as a whole. A long step is shortened, as `keyPart` does. */
export function stepPartOf(key: string): string | null {
  const parts = key.split("/");
  return parts.length === 5 ? parts[3]! : null;
}

/** A step in a key. Shortens what file systems refuse. */
export function keyPart(text: string): string {
  const name = encoded(text);
  if (name.length <= MAX_PART_BYTES) return name;
  return `${name.slice(0, MAX_PART_BYTES - 33)}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/** Writes other characters as `=` and the hexadecimal digits of their UTF-8 bytes. */
function encoded(text: string): string {
  const isDots = /^\.+$/.test(text);
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return PLAIN.test(character) && !isDots ? character : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** The run in a key. */
export function runOfKey(key: string): string {
  return fromKeyPart(key.slice(0, key.indexOf("/")));
}

function fromKeyPart(part: string): string {
  const latin1 = part.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin1, "latin1").toString();
}
