/** Compares the words the analysis found with those bash passes, inside a sandbox in which no program can start. */

import type { Analysis, Segment } from "#ground/workspace/shell/analysis.ts"
import { argvInBash } from "../unit/ground/workspace/shell/real-bash.ts"

export interface Misread {
  readonly command: string
  readonly argv: readonly string[]
}

const programs =
  "ls cat head tail wc stat file tree du df basename dirname realpath readlink md5sum sha256sum date uname whoami id hostname nproc uptime free ps pgrep lsof which seq sort uniq cut tr diff cmp comm paste join fold nl rev tac column shuf base64 od hexdump xxd strings jq sed grep egrep rg fd find git docker gh npm node python3 go cargo pip rm mv cp mkdir touch ln chmod tee tar unzip evil sudo xargs env nice nohup stdbuf timeout bash sh awk perl ssh curl make npx kill reboot".split(
    " ",
  )

/** Words that bash passed to a program although no part of the analysis has them. */
export function wrongWords(
  analysed: readonly { readonly command: string; readonly analysis: Analysis }[],
): readonly Misread[] {
  const commands = analysed.map(({ command }) => command)
  const real = argvInBash(commands, { programs, cwd: "/home/dev/project", home: "/home/dev", under })
  return analysed.flatMap(({ command, analysis }, i) => {
    const stray = (real[i] ?? []).find((argv) => !analysis.segments.some((segment) => couldBe(segment, argv)))
    return stray ? [{ command, argv: stray }] : []
  })
}

/** Bash starts nothing here, since every name is a function and the path leads nowhere: the sandbox is for redirections. */
function under(folder: string): readonly string[] {
  const bwrap = Bun.which("bwrap") ?? "bwrap"
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/home", "--bind", folder, folder]
  return [
    bwrap,
    ...mounts,
    "--dir",
    "/home/dev/project",
    "--unshare-all",
    "--die-with-parent",
    "--chdir",
    "/home/dev/project",
  ]
}

/** Exact words must be equal; what is wrapped, or not known before, need only agree where it is known. */
function couldBe({ argv, inexact, wrappers }: Segment, real: readonly string[]): boolean {
  // Where the wrapper is a part of bash itself, it is the command behind it that is passed its words.
  if (wrappers.includes(real[0] ?? "")) return true
  if (inexact.length > 0) return argv[0] === real[0]
  return argv.length === real.length && argv.every((word, i) => word === real[i])
}
