/** Flags that make a program do its work elsewhere, or start another one: a rule that ends in a star was not given for them. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { programName } from "./launchers.ts"
import { resolvedFrom } from "./paths.ts"

interface Flags {
  /** They name a folder or file that the program works in. */
  readonly places?: readonly string[]
  /** They name something that is run. */
  readonly starts?: readonly string[]
  /** Only counted before the first word that is no flag: behind it they mean something else. */
  readonly atStart?: true
}

const packages: Flags = {
  places: ["--prefix", "-C", "--dir", "--cwd"],
  starts: ["--script-shell", "--node-options", "--userconfig", "--globalconfig", "--pnpmfile"],
}
const modules: Flags = { starts: ["--import", "--require", "-r", "--loader", "--experimental-loader", "--preload"] }

const table: { readonly [program: string]: readonly Flags[] } = {
  bun: [packages, modules],
  cargo: [{ places: ["-C", "--manifest-path"], starts: ["--config"] }],
  curl: [{ starts: ["-K", "--config"] }],
  docker: [{ starts: ["-H", "--host", "--config", "-c", "--context"], atStart: true }],
  git: [
    { places: ["-C", "--git-dir", "--work-tree"], starts: ["-c", "--exec-path", "--config-env"], atStart: true },
    { starts: ["--upload-pack", "--receive-pack", "--open-files-in-pager"] },
  ],
  go: [{ places: ["-C", "-modfile", "-overlay"], starts: ["-toolexec", "-exec", "-vettool"] }],
  gradle: [{ places: ["-p", "--project-dir", "-b", "--build-file"], starts: ["-I", "--init-script"] }],
  kubectl: [{ starts: ["--kubeconfig"] }],
  make: [{ places: ["-C", "--directory", "-f", "--file", "--makefile"], starts: ["--eval"] }],
  man: [{ starts: ["-P", "--pager", "-H", "--html"] }],
  mvn: [{ places: ["-f", "--file"] }],
  node: [modules],
  npm: [packages],
  pnpm: [packages],
  rg: [{ starts: ["--pre", "--hostname-bin"] }],
  rsync: [{ starts: ["-e", "--rsh", "--rsync-path"] }],
  sort: [{ starts: ["--compress-program"] }],
  tar: [
    {
      starts: [
        "-F",
        "-I",
        "--checkpoint-action",
        "--info-script",
        "--new-volume-script",
        "--rmt-command",
        "--rsh-command",
        "--to-command",
        "--use-compress-program",
      ],
    },
  ],
  terraform: [{ places: ["-chdir"] }],
  wget: [{ starts: ["-e", "--execute", "--use-askpass"] }],
  yarn: [packages],
}

/** Settings that a person changes for one command and that start nothing. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf)|commit\.gpgsign)=/i

/** Whether words behind the first `from` lead out of the workspace or start something. */
export function outgrowsRule({ argv, cwd }: Segment, from: number, isInWorkspace: (path: string) => boolean): boolean {
  const name = programName(argv[0] ?? "")
  const flags = Object.hasOwn(table, name) ? (table[name] ?? []) : []
  const end = argv.indexOf("--")
  const words = argv.slice(0, end === -1 ? undefined : end)
  if (name === "make" && words.slice(from).some((word) => /^(?:SHELL|MAKEFLAGS|MAKEFILES)[:+?]?=/.test(word)))
    return true
  return flags.some(({ places = [], starts = [], atStart }) => {
    for (let i = 1; i < words.length; i++) {
      const word = words[i] ?? ""
      if (atStart && !word.startsWith("-") && !isValue(words, i, [...places, ...starts])) return false
      if (i < from) continue
      const started = starts.map((flag) => valueOf(words, i, flag)).find((value) => value !== undefined)
      if (started !== undefined && !harmlessSetting.test(started)) return true
      const place = places.map((flag) => valueOf(words, i, flag)).find((value) => value !== undefined)
      if (place !== undefined && !(cwd !== undefined && isInWorkspace(resolvedFrom(cwd, place)))) return true
    }
    return false
  })
}

const isValue = (words: readonly string[], at: number, flags: readonly string[]): boolean =>
  flags.includes(words[at - 1] ?? "")

/** What a flag is given at an index: in the next word, behind `=`, or attached; undefined when it is another flag. */
function valueOf(words: readonly string[], at: number, flag: string): string | undefined {
  const word = words[at] ?? ""
  if (word === flag) return words[at + 1] ?? ""
  const equals = word.indexOf("=")
  const name = equals === -1 ? word : word.slice(0, equals)
  if (flag.startsWith("--")) {
    const isShort = name.length > 4 && flag.startsWith(name)
    if (!isShort) return undefined
    return equals === -1 ? (words[at + 1] ?? "") : word.slice(equals + 1)
  }
  if (flag.length > 2) return name === flag && equals !== -1 ? word.slice(equals + 1) : undefined
  return word.startsWith(flag) && !word.startsWith("--") ? word.slice(flag.length) : undefined
}
