// @module-tag D-01
import { folderLocation } from "./conformance/folder-location.js";
import { artifactConformance } from "./conformance/index.js";

artifactConformance("the store", { url: () => "store:" }, { objects: false });
artifactConformance("a folder", folderLocation(), { objects: true });
