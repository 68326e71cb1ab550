import { onPlaces } from "../lib/artifact-places.mjs";

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "artifact-write",
  measure:
    "MB/s of an artifact of 1 GB that is written to a folder and a bucket of versitygw, against a stream or the SDK alone; the lower ratio",
  target: 0.8,
  reach: "at least",
  run: (bench) => onPlaces(bench, "write"),
};
