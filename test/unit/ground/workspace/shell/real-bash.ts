/** What bash really passes to programs: every name is a function that notes its words, and nothing else can be started. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface RealBash {
  /** Names that are noted instead of run. */
  readonly programs: readonly string[]
  readonly cwd: string
  readonly home: string
  /** What bash is started by, such as a sandbox that shows the folder it is given. */
  readonly under?: (folder: string) => readonly string[]
}

/** For each command the list of argv that bash passed to programs, in no reliable order where it runs them side by side. */
export function argvInBash(
  commands: readonly string[],
  { programs, cwd, home, under }: RealBash,
): readonly (readonly (readonly string[])[])[] {
  const folder = mkdtempSync(join(tmpdir(), "codewright-bash-"))
  try {
    writeFileSync(join(folder, "commands"), commands.map((command) => `${command}\0`).join(""))
    mkdirSync(join(folder, "noted"))
    const argv = [
      ...(under?.(folder) ?? []),
      "/bin/bash",
      "--noprofile",
      "--norc",
      "-c",
      script,
      "bash",
      folder,
      cwd,
      ...programs,
    ]
    const ran = Bun.spawnSync(argv, {
      cwd: under ? "/" : cwd,
      env: { HOME: home, PATH: "/nowhere", PWD: cwd, LC_ALL: "C.UTF-8" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    })
    if (ran.exitCode !== 0) throw new Error(`bash ended with ${ran.exitCode}: ${ran.stderr.toString()}`)
    return collect(join(folder, "noted"), commands.length)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A mark no word holds: it is a control character, which the analysis refuses. */
const endOfWords = "\u0001"

/** A loop that never ends is ended. Each process notes into a file of its own, since what several write at once would be mixed. */
const script = `
__folder=$1; __cwd=$2; shift 2
__note() { builtin printf '%s\\0' "$@" $'\\001' >> "$__folder/noted/$__index.$BASHPID"; }
for __name in "$@"; do eval "function $__name { __note $__name \\"\\$@\\"; }"; done
set --
__run() ( ulimit -t 1; unset -f __run; builtin cd "$__cwd"; eval -- "$__command" )
__index=0
while IFS= read -r -d '' __command; do
  __run </dev/null >/dev/null 2>&1
  __index=$((__index + 1))
done < "$__folder/commands"
builtin exit 0
`

function collect(folder: string, count: number): readonly (readonly (readonly string[])[])[] {
  const found: string[][][] = Array.from({ length: count }, () => [])
  for (const file of readdirSync(folder)) {
    const notes = readFileSync(join(folder, file), "utf8").split(`${endOfWords}\0`).slice(0, -1)
    found[Number.parseInt(file, 10)]?.push(...notes.map((words) => words.split("\0").slice(0, -1)))
  }
  return found
}
