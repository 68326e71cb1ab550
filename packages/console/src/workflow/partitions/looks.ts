import type { PartitionList } from "@runledger/client";
import type { PartitionState } from "@runledger/contracts";
import type { IconName } from "../../ui/icon.js";
import type { Tone } from "../../ui/status.js";

export type Partition = PartitionList["items"][number];

/** A state as a word, a color and an icon, never as a color alone. In the order of the legend. */
export const LOOKS: Readonly<
  Record<PartitionState, { readonly word: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  missing: { word: "Missing", tone: "idle", icon: "open" },
  queued: { word: "Queued", tone: "wait", icon: "waiting" },
  running: { word: "Running", tone: "busy", icon: "running" },
  succeeded: { word: "Succeeded", tone: "good", icon: "done" },
  failed: { word: "Failed", tone: "bad", icon: "failed" },
  cancelled: { word: "Cancelled", tone: "idle", icon: "cancelled" },
};

export const states = Object.keys(LOOKS) as readonly PartitionState[];
