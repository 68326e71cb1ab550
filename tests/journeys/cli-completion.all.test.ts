// @module-tag U-20
/** Runs the completion scripts in the shells they are for. */
import { expect, test } from "vitest";
import { capture } from "../../scripts/lib/spawn.mjs";
import { requireDebian, unpackDebian } from "@runledger/test-support/debian-packages";
import { describeWith } from "@runledger/test-support/requirements";
import { bin } from "@runledger/test-support/runledger-command";

const script = (shell: string): string => `${process.execPath} ${bin} completion ${shell}`;

describeWith("completion", requireDebian, () => {
  test("fish completes commands, subcommands and options", { timeout: 120_000 }, async () => {
    const { root, env } = await unpackDebian(["fish", "fish-common", "libpcre2-32-0"]);
    const lines = ["runledger wa", "runledger queue limits re", "runledger logs --fol"];
    const program = `${script("fish")} | source; ${lines.map((line) => `complete -C "${line}"`).join("; ")}`;
    const { stdout, stderr } = await capture(`${root}/usr/bin/fish`, ["-c", program], { env: { ...env, HOME: root } });
    const words = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0]);
    expect({ words, stderr }).toEqual({ words: ["watch", "remove", "--follow"], stderr: "" });
  });

  test("zsh completes subcommands", { timeout: 120_000 }, async () => {
    const { root, env } = await unpackDebian(["zsh", "zsh-common"]);
    // Print the candidates, because zsh's completion functions need a terminal.
    const program = `compdef() { : }; eval "$(${script("zsh")})"; _describe() { print -l "\${items[@]}" }; _files() { : }
      words=(runledger queue limits ''); CURRENT=4; _runledger`;
    const { stdout, stderr } = await capture(`${root}/bin/zsh`, ["-fc", program], { env });
    expect(stderr).toBe("");
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "show:show all limits",
      "set:set a limit, replacing the current one",
      "remove:remove a limit",
    ]);
  });
});
