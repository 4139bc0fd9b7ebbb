/** Whether the configuration of a repository could start a program: a list of what is known to be plain, nothing else. */

import { switchedOff } from "./read-only-environment.ts"

/** One setting of a configuration file, names in lower case. */
export interface ConfigEntry {
  readonly section: string
  readonly subsection: string | undefined
  readonly key: string
  readonly value: string
}

/** Whether every setting is one that starts nothing when git only shows things. `isOwnFolder` judges `core.worktree`. */
export function isPlainConfig(text: string, isOwnFolder: (path: string) => boolean): boolean {
  const entries = readConfig(text)
  return entries !== undefined && entries.every((entry) => isPlainEntry(entry, isOwnFolder))
}

/** Reads git's own format the way git does; undefined when something in it is not understood. */
export function readConfig(source: string): readonly ConfigEntry[] | undefined {
  const text = source.replace(/^\ufeff/, "").replace(/\r\n/g, "\n")
  const entries: ConfigEntry[] = []
  let section: Pick<ConfigEntry, "section" | "subsection"> | undefined
  let at = 0
  while (at < text.length) {
    const blank = match(/(?:\s+|[#;][^\n]*)+/y, text, at)
    if (blank) {
      at += blank[0].length
      continue
    }
    const header = match(/\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]/y, text, at)
    if (header) {
      section = sectionOf(header[1] ?? "", header[2])
      at += header[0].length
      continue
    }
    const name = match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/y, text, at)
    if (!name || !section) return undefined
    at += name[0].length
    const value = name[2] === "=" ? readValue(text, at) : match(/\n|$/y, text, at) && { value: "", next: at }
    if (!value) return undefined
    entries.push({ ...section, key: (name[1] ?? "").toLowerCase(), value: value.value })
    at = value.next
  }
  return entries
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function sectionOf(name: string, subsection: string | undefined): Pick<ConfigEntry, "section" | "subsection"> {
  const dot = name.indexOf(".")
  if (dot === -1 || subsection !== undefined) return { section: name.toLowerCase(), subsection }
  return { section: name.slice(0, dot).toLowerCase(), subsection: name.slice(dot + 1) }
}

/** A value runs to the end of its line; a backslash carries on to the next one, but not inside a comment. */
function readValue(text: string, from: number): { readonly value: string; readonly next: number } | undefined {
  let value = ""
  let quoted = false
  for (let at = from; ; at++) {
    const char = text[at]
    if (char === undefined || char === "\n") return quoted ? undefined : { value: value.trim(), next: at }
    if (!quoted && (char === "#" || char === ";")) {
      const end = text.indexOf("\n", at)
      return { value: value.trim(), next: end === -1 ? text.length : end }
    }
    if (char === '"') quoted = !quoted
    else if (char === "\\") {
      const escaped = text[++at]
      if (escaped === undefined || !'\n\\"ntb'.includes(escaped)) return undefined
      if (escaped !== "\n") value += escaped
    } else value += char
  }
}

function isPlainEntry(
  { section, subsection, key, value }: ConfigEntry,
  isOwnFolder: (path: string) => boolean,
): boolean {
  if (switchedOff.has([section, subsection, key].filter((part) => part !== undefined).join("."))) return true
  if (section === "core") return key === "worktree" ? isOwnFolder(value) : plainCore.has(key)
  if (section === "diff")
    return subsection === undefined ? key !== "external" && key !== "orderfile" : plainDriver.has(key)
  if (section === "gpg") return key === "format" || key === "mintrustlevel"
  return plainSections.has(section)
}

const plainCore: ReadonlySet<string> = new Set([
  "abbrev",
  "autocrlf",
  "bare",
  "bigfilethreshold",
  "checkstat",
  "commentchar",
  "commitgraph",
  "compression",
  "deltabasecachelimit",
  "editor",
  "eol",
  "excludesfile",
  "filemode",
  "fscache",
  "fsync",
  "fsyncmethod",
  "fsyncobjectfiles",
  "hidedotfiles",
  "ignorecase",
  "logallrefupdates",
  "longpaths",
  "multipackindex",
  "notesref",
  "packedgitlimit",
  "packedgitwindowsize",
  "precomposeunicode",
  "preloadindex",
  "protecthfs",
  "protectntfs",
  "quotepath",
  "repositoryformatversion",
  "safecrlf",
  "sharedrepository",
  "sparsecheckout",
  "sparsecheckoutcone",
  "symlinks",
  "trustctime",
  "untrackedcache",
  "usereplacerefs",
  "warnambiguousrefs",
  "whitespace",
])

/** No command and no textconv. */
const plainDriver: ReadonlySet<string> = new Set([
  "algorithm",
  "binary",
  "cachetextconv",
  "funcname",
  "wordregex",
  "xfuncname",
])

/** Sections that say nothing about what showing commands run. No filter, no include, nothing unknown. */
const plainSections: ReadonlySet<string> = new Set([
  "add",
  "advice",
  "alias",
  "apply",
  "author",
  "blame",
  "branch",
  "checkout",
  "color",
  "column",
  "commit",
  "committer",
  "credential",
  "difftool",
  "extensions",
  "feature",
  "fetch",
  "format",
  "gc",
  "gitbutler",
  "gitflow",
  "github",
  "grep",
  "gui",
  "help",
  "http",
  "i18n",
  "index",
  "init",
  "interactive",
  "lfs",
  "log",
  "maintenance",
  "merge",
  "mergetool",
  "notes",
  "pack",
  "pager",
  "pull",
  "push",
  "rebase",
  "remote",
  "rerere",
  "sequence",
  "stash",
  "status",
  "submodule",
  "svn",
  "svn-remote",
  "tag",
  "url",
  "user",
  "versionsort",
])
