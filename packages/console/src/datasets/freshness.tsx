import type { Dataset } from "@runledger/client";
import { duration } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

export function Freshness({ dataset: { freshness, freshForMs } }: { readonly dataset: Dataset }) {
  const policy = freshForMs === null ? "" : `Fresh for ${duration(freshForMs)}`;
  return (
    <span className={freshness === "stale" ? "tone-failed" : undefined} title={policy} data-freshness={freshness}>
      {freshness === "stale" && <Icon name="alert" />} {TEXT[freshness]}
    </span>
  );
}

const TEXT: Readonly<Record<Dataset["freshness"], string>> = {
  fresh: "Fresh",
  stale: "Stale",
  "no-policy": "No policy",
  "never-written": "Never written",
};
