/** Which files a git configuration names: those it includes, and programs that git runs for it. */

import { dirname, resolve } from "node:path"
import type { ReadOnlyLine } from "#ground/sandbox/policy.ts"
import { type ConfigEntry, isHarmlessEntry, readConfig } from "#ground/workspace/shell/programs/git-config.ts"
import type { Disk } from "./facts.ts"

export interface NamingGround {
  readonly disk: Disk
  /** What `~` means. */
  readonly home: string
  /** Where git runs programs: the top folders of the working trees. */
  readonly bases: readonly string[]
}

/** Configurations of the user, which may name something in a workspace as well. */
export const ownConfigs = (home: string): readonly string[] => [`${home}/.gitconfig`, `${home}/.config/git/config`]

const deepestInclude = 10

/** Whether or not it exists: what does not could be put there. */
export function namedBy(configs: readonly string[], ground: NamingGround, depth = 0): readonly ReadOnlyLine[] {
  return configs.flatMap((config) => {
    const entries = entriesIn(ground.disk.text(config) ?? "")
    const included = entries.flatMap((entry) =>
      /^include(?:if)?$/.test(entry.section) && entry.key === "path" && entry.value !== ""
        ? [fromHome(entry.value, dirname(ground.disk.real(config)), ground.home)]
        : [],
    )
    return [
      ...entries.flatMap((entry) => ofEntry(entry, ground)),
      ...included.map((path) => ({ path, because: "Git takes settings from it", placeholder: emptyFile })),
      ...(depth < deepestInclude ? namedBy(included, ground, depth + 1) : []),
    ]
  })
}

const emptyFile = { kind: "file", text: "" } as const

/** What is not understood as a whole is read line by line: too much is held rather than too little. */
function entriesIn(text: string): readonly ConfigEntry[] {
  const entries = readConfig(text)
  if (entries) return entries
  let section = ""
  return text.split("\n").flatMap((line) => {
    section = /^\s*\[([\w-]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    const [, key, value] = /([\w-]+)\s*=\s*(.*)$/.exec(line) ?? []
    return key === undefined || value === undefined
      ? []
      : [{ section, subsection: undefined, key: key.toLowerCase(), value: value.replace(/^"|"\s*$/g, "") }]
  })
}

const fromHome = (value: string, base: string, home: string): string =>
  /^~(?:\/|$)/.test(value) ? resolve(home, `.${value.slice(1)}`) : resolve(base, value)

function ofEntry(entry: ConfigEntry, ground: NamingGround): readonly ReadOnlyLine[] {
  const { section, key, value } = entry
  if (isHarmlessEntry(entry, anywhere) || /^include(?:if)?$/.test(section)) return []
  const name = `${section}.${key}`
  if (name === "core.hookspath") return inAll(value, ground, { because: hooks, placeholder: { kind: "folder" } })
  if (name === "init.templatedir") return inAll(value, ground, { because: hooks, placeholder: { kind: "folder" } })
  if (name === "core.attributesfile") return inAll(value, ground, { because: runs, placeholder: emptyFile })
  // An alias without a mark is a subcommand of git.
  if (section === "alias" && !value.startsWith("!")) return []
  return commandWords(value).flatMap((word, i) => ofWord(word, { isProgram: i === 0 }, ground))
}

const hooks = "Git runs the hooks in it"
const runs = "Git runs it, or programs that it names"
const anywhere = { isOwnFolder: () => true, isOwnFile: () => true }

const inAll = (
  value: string,
  { bases, home }: NamingGround,
  line: Omit<ReadOnlyLine, "path">,
): readonly ReadOnlyLine[] =>
  value === "" ? [] : bases.map((base) => ({ path: fromHome(value, base, home), ...line }))

const commandWords = (value: string): readonly string[] =>
  value
    .replace(/^!/, "")
    .replace(/\$\{?HOME\}?\//g, "~/")
    .split(/[\s;|&()<>"'`=,]+/)
    .filter((word) => word !== "")

function ofWord(
  word: string,
  { isProgram }: { readonly isProgram: boolean },
  { disk, bases, home }: NamingGround,
): readonly ReadOnlyLine[] {
  // A program without a slash is looked for on the PATH; a script is known by its ending.
  const isPath = word.includes("/") || (!isProgram && /^[\w-]+\.\w+$/.test(word))
  if (!isPath || !/^[~./]?[\w./@+-]+$/.test(word)) return []
  return bases.flatMap((base): readonly ReadOnlyLine[] => {
    const path = fromHome(word, base, home)
    const kind = disk.kindOf(path)
    if (kind === "folder") return []
    // Other words with a slash may be anything; one that leads into a folder is taken for a file.
    const isNamed = kind !== undefined || (word.includes("/") && (isProgram || disk.kindOf(dirname(path)) === "folder"))
    return isNamed ? [{ path, because: runs, placeholder: emptyFile }] : []
  })
}
