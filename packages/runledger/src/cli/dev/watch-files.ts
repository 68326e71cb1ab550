import { resolve } from "node:path";
import { watch, type FSWatcher } from "chokidar";
import type { Project } from "../../config/load-project.js";

/** Editors write a file in several steps. */
const SETTLE_MS = 100;
const SOURCE = /\.([mc]?[jt]s|json|ya?ml)$/;
const IGNORED = /(^|[/\\])(node_modules|\.[^/\\]+|dist)([/\\]|$)/;

/** Reports changes to the files that a project was loaded from, and to files that match its patterns. */
export class FileWatch implements AsyncDisposable {
  readonly #watcher: FSWatcher;
  #timer: NodeJS.Timeout | null = null;
  readonly #changed = new Set<string>();

  constructor(project: Project, onChange: (files: readonly string[]) => void) {
    const { root } = project;
    const ignored = (path: string): boolean => path.startsWith(root) && IGNORED.test(path.slice(root.length));
    this.#watcher = watch([], { ignored, ignoreInitial: true });
    this.#watcher.on("all", (event, path) => {
      if (event.endsWith("Dir") || !SOURCE.test(path)) return;
      this.#changed.add(resolve(path));
      clearTimeout(this.#timer ?? undefined);
      this.#timer = setTimeout(() => onChange(this.#take()), SETTLE_MS);
    });
    this.follow(project);
  }

  /** A reloaded project may consist of other files. */
  follow({ root, config, files }: Project): void {
    const folders = config.workflows.map((pattern) => resolve(root, staticPart(pattern)));
    this.#watcher.add([...folders, ...files]);
  }

  /** Resolves when no change can be missed any more. */
  ready(): Promise<void> {
    return new Promise((done) => void this.#watcher.once("ready", done));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    await this.#watcher.close();
  }

  #take(): readonly string[] {
    const files = [...this.#changed];
    this.#changed.clear();
    return files;
  }
}

/** The folder that a pattern starts with: `./workflows` of `./workflows/**` and a name. */
function staticPart(pattern: string): string {
  const parts = pattern.split("/");
  const dynamic = parts.findIndex((part) => /[*?{}[\]()!]/.test(part));
  return dynamic === -1 ? pattern : parts.slice(0, dynamic).join("/") || ".";
}
