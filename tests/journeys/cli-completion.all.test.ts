/** Completion, as the shells themselves understand it. */
import { expect, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { requireDebian, unpackDebian } from "../support/debian-packages.js";
import { describeWith } from "../support/requirements.js";
import { bin } from "../support/runledger-command.js";

const script = (shell: string): string => `${process.execPath} ${bin} completion ${shell}`;

describeWith("completion", requireDebian, () => {
  test("[U-20] fish completes verbs, verbs of verbs, and options", { timeout: 120_000 }, async () => {
    const { root, env } = await unpackDebian(["fish", "fish-common", "libpcre2-32-0"]);
    const asked = ["runledger wa", "runledger queue limits re", "runledger logs --fol"];
    const program = `${script("fish")} | source; ${asked.map((line) => `complete -C "${line}"`).join("; ")}`;
    const { stdout, stderr } = await capture(`${root}/usr/bin/fish`, ["-c", program], { env: { ...env, HOME: root } });
    const words = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0]);
    expect({ words, stderr }).toEqual({ words: ["watch", "remove", "--follow"], stderr: "" });
  });

  test("[U-20] zsh completes them too", { timeout: 120_000 }, async () => {
    const { root, env } = await unpackDebian(["zsh", "zsh-common"]);
    // What zsh would show is printed instead: its own functions need a terminal.
    const program = `compdef() { : }; eval "$(${script("zsh")})"; _describe() { print -l "\${items[@]}" }; _files() { : }
      words=(runledger queue limits ''); CURRENT=4; _runledger`;
    const { stdout, stderr } = await capture(`${root}/bin/zsh`, ["-fc", program], { env });
    expect(stderr).toBe("");
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "show:show what is limited",
      "set:set all of a limit, in place of what was there",
      "remove:take a limit away",
    ]);
  });
});
