// @module-tag D-01
import { folderLocation } from "./conformance/folder-location.js";
import { artifactConformance } from "./conformance/index.js";

const STREAMED_BYTES = 1024 * 1024 * 1024;

artifactConformance("a folder", folderLocation(), { objects: true, streamedBytes: STREAMED_BYTES });
