/** Decides which part of the contract's version a change raises (VERSIONING.md). */
import type { Surface } from "./surface.js";

export type Bump = "patch" | "minor" | "major";

export function neededBump(before: Surface, after: Surface): Bump {
  const bumps = [
    ...Object.entries(before).map(([name, text]) => bumpOfKnown(text, after[name])),
    ...Object.entries(after).map(([name, text]) => (name in before ? "patch" : bumpOfNew(text))),
  ];
  if (bumps.includes("major")) return "major";
  return bumps.includes("minor") ? "minor" : "patch";
}

/** The lowest version that a contract with this change may have. */
export function versionAfter(version: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (bump === "major") return `${major + 1}.0.0`;
  return bump === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch}`;
}

export function isAtLeast(version: string, other: string): boolean {
  return version.localeCompare(other, "en", { numeric: true }) >= 0;
}

/** A call or an object may get further optional parts; nothing else may change. */
function bumpOfKnown(before: string, after: string | undefined): Bump {
  if (after === before) return "patch";
  if (after === undefined || required(before) !== required(after)) return "major";
  return optional(before).every((part) => optional(after).includes(part)) ? "minor" : "major";
}

const bumpOfNew = (text: string): Bump => (/^(readonly )?\w+\?/.test(text) ? "minor" : "major");

/** Optional properties of a nested object, and optional parameters. */
const OPTIONAL = /(?<=[{;] )(?:readonly )?\w+\?: [^;{}]+; ?|(?:, )?\b\w+\?: \w+(?=[,)])/g;

const required = (text: string): string => text.replaceAll(OPTIONAL, "").replaceAll(/\s+/g, " ");
const optional = (text: string): string[] => (text.match(OPTIONAL) ?? []).map((part) => part.replace(/^, /, "").trim());
