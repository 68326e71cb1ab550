/** Secrets are long and random, stored as hashes, and compared in constant time. */
import { hash, randomBytes, timingSafeEqual } from "node:crypto";

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

export function isSecret(candidate: string, secretHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(candidate)), Buffer.from(secretHash));
}
