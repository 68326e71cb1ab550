/** The folders of one attempt. Attempts share no target folder, so that none reads the files of another. */
import { copyFile, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { dbtError } from "./errors.js";
import type { DbtOptions } from "./options.js";

/** The parsed project, which shortens the next start of dbt by a second or more. */
const PARSED = "partial_parse.msgpack";

export class Scratch {
  readonly project: string;
  readonly profiles: string;
  readonly #folder: string;

  static async open({ project, profiles = project }: DbtOptions): Promise<Scratch> {
    const [at, profilesAt] = [resolve(project), resolve(profiles)];
    await assertFile(join(at, "dbt_project.yml"), "project");
    await assertFile(join(profilesAt, "profiles.yml"), "profiles");
    const scratch = new Scratch(at, profilesAt, await mkdtemp(join(tmpdir(), "runledger-dbt-")));
    await mkdir(scratch.target, { recursive: true });
    await copyFile(join(at, "target", PARSED), join(scratch.target, PARSED)).catch(() => {}); // the first run has none
    return scratch;
  }

  private constructor(project: string, profiles: string, folder: string) {
    this.project = project;
    this.profiles = profiles;
    this.#folder = folder;
  }

  get target(): string {
    return join(this.#folder, "target");
  }

  /** The target folder of `dbt show`. */
  get shown(): string {
    return join(this.#folder, "shown");
  }

  get logs(): string {
    return join(this.#folder, "logs");
  }

  /** Holds the selection of nodes. */
  get state(): string {
    return join(this.#folder, "state");
  }

  /** Keeps the parsed project in its own target folder, as dbt does. A project on a read-only disk does without. */
  async keepParsed(): Promise<void> {
    const folder = join(this.project, "target");
    const draft = join(folder, `.${PARSED}.${process.pid}`);
    try {
      await mkdir(folder, { recursive: true });
      await copyFile(join(this.target, PARSED), draft);
      await rename(draft, join(folder, PARSED));
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  /** Copies the parsed project to the target folder of `dbt show`. */
  async shareParsed(): Promise<void> {
    await mkdir(this.shown, { recursive: true });
    await copyFile(join(this.target, PARSED), join(this.shown, PARSED)).catch(() => {}); // dbt parses it again
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function assertFile(path: string, option: keyof DbtOptions): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere)
    throw dbtError("DBT_OPTION_INVALID", `There is no ${path} on this worker. Correct the option "${option}".`);
}
