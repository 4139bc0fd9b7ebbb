/**
 * Whether the configuration of a repository could start a program: a list of what is known to be harmless, nothing
 * else.
 */

import { lazily } from "#lib/lazily.ts"
import { switchedOff } from "#ground/workspace/shell/read-only-environment.ts"

/** Names in lower case. */
export interface ConfigEntry {
  readonly section: string
  readonly subsection: string | undefined
  readonly key: string
  readonly value: string
}

export interface Surroundings {
  /** Whether a path, as in `core.worktree`, is the folder that the repository is for. */
  readonly isOwnFolder: (path: string) => boolean
  /** Whether a path is a file in that folder, and leads through no link. */
  readonly isOwnFile: (path: string) => boolean
}

/** Whether every setting starts nothing and reads no other file when git only shows things. */
export function isPlainConfig(text: string, around: Surroundings): boolean {
  const entries = readConfig(text)
  return entries !== undefined && entries.every((entry) => isPlainEntry(entry, around))
}

/**
 * Whether a setting starts no program and reads no other file whatever the user does in the repository, with nothing
 * switched off from outside.
 */
export function isHarmlessEntry(entry: ConfigEntry, around: Surroundings): boolean {
  const { section, subsection, key, value } = entry
  const name = [section, subsection, key].filter((part) => part !== undefined).join(".")
  // A yes or no is about git's own monitor; anything else is a command.
  if (name === "core.fsmonitor") return /^(?:true|false)?$/i.test(value)
  if (switchedOff().has(name) && !harmlessThoughSwitched.has(name)) return false
  return !startsSomething.has(section) && !startsSomething.has(`${section}.${key}`) && isPlainEntry(entry, around)
}

/** Plain when git only shows things, because git then does not use them; other commands of git do. */
const startsSomething: ReadonlySet<string> = new Set([
  "alias",
  "core.editor",
  "credential.helper",
  "difftool",
  "gitbutler",
  "gui",
  // Together they let somebody else answer for a host that the user trusts.
  "http.proxy",
  "http.sslverify",
  "merge.driver",
  "mergetool",
  "pager",
  "sequence",
  "svn",
  "svn-remote",
])

/** Switched off for other reasons than programs. */
const harmlessThoughSwitched: ReadonlySet<string> = new Set([
  "gc.auto",
  "log.diffmerges",
  "log.showsignature",
  "maintenance.auto",
  "status.submodulesummary",
])

/** Writes settings so that git, and `readConfig`, read the same ones again. */
export function writeConfig(entries: readonly ConfigEntry[]): string {
  return entries
    .map(({ section, subsection, key, value }) => {
      // It is kept as it was written, with its backslashes.
      const within = subsection === undefined ? "" : ` "${subsection}"`
      const quoted = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")
      return `[${section}${within}]\n\t${key} = "${quoted}"\n`
    })
    .join("")
}

/** Whether the user's own configuration names no program that a project could supply. */
export function isPlainOwnConfig(text: string): boolean {
  const entries = readConfig(text)
  return (entries ?? []).every(({ section, key, value }) => {
    const isDriver = (section === "diff" && /^(?:command|external|textconv)$/.test(key)) || section === "filter"
    return !isDriver || !/^\s*["']?[^\s/~]+\//.test(value)
  })
}

/** Parses git's own format like git; undefined when something in it is not understood. */
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

/** A value runs to the end of its line; a backslash continues it on the next one, but not inside a comment. */
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

function isPlainEntry(entry: ConfigEntry, around: Surroundings): boolean {
  const { section, subsection, key, value } = entry
  const name = [section, key].join(".")
  if (subsection === undefined && Object.hasOwn(byValue, name)) return byValue[name]?.(value, around) ?? false
  if (switchedOff().has([section, subsection, key].filter((part) => part !== undefined).join("."))) return true
  switch (section) {
    case "core":
      return plainCore.has(key)
    case "color":
      // Escapes would come before names that another command takes.
      return value.toLowerCase() !== "always"
    case "diff":
      return (subsection === undefined ? plainDiff : plainDriver).has(key)
    case "filter":
      return subsection === "lfs" && lfsFilter.some((each) => each.key === key && each.value === value)
    case "submodule":
      // A way to update may be a command.
      return plainSubmodule.has(key) && !value.startsWith("!")
    default:
      return plainSections.has(section) || (plainKeys()[section]?.has(key) ?? false)
  }
}

/** Settings whose value decides whether they are harmless. */
const byValue: { readonly [name: string]: (value: string, around: Surroundings) => boolean } = {
  "core.worktree": (value, { isOwnFolder }) => isOwnFolder(value),
  "core.excludesfile": (value, { isOwnFile }) => isOwnFile(value),
  "blame.ignorerevsfile": (value, { isOwnFile }) => value === "" || isOwnFile(value),
  // Not `remerge`, which merges again with whatever driver is named.
  "log.diffmerges": (value) =>
    /^(?:off|none|on|m|first-parent|1|separate|c|combined|cc|dense-combined)$/.test(value.toLowerCase()),
  "diff.submodule": (value) => value === "short" || value === "log",
}

/** What `git lfs install` writes: the user's program, found where the project has no influence. */
const lfsFilter: readonly { readonly key: string; readonly value: string }[] = [
  { key: "clean", value: "git-lfs clean -- %f" },
  { key: "smudge", value: "git-lfs smudge -- %f" },
  { key: "process", value: "git-lfs filter-process" },
  { key: "required", value: "true" },
]

const plainCore: ReadonlySet<string> = new Set([
  "abbrev",
  "autocrlf",
  "bare",
  "bigfilethreshold",
  "checkstat",
  "commentchar",
  "commentstring",
  "commitgraph",
  "compression",
  "deltabasecachelimit",
  "editor",
  "eol",
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

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Neither an external diff program nor a file that orders diffs. */
const plainDiff = words(
  "algorithm autorefreshindex colormoved colormovedws context dirstat dstprefix guitool ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix relative renamelimit renames srcprefix statgraphwidth statnamewidth suppressblankempty tool wordregex wserrorhighlight",
)

/** No command and no textconv. */
const plainDriver = words("algorithm binary cachetextconv funcname wordregex xfuncname")

const plainSubmodule = words(
  "active alternateerrorstrategy alternatelocation branch fetchjobs fetchrecursesubmodules ignore path propagatebranches recurse shallow update url",
)

/** Sections without any program or file that showing things would start or read. */
const plainSections = words(
  "advice alias author branch checkout column committer difftool feature gitbutler gitflow github gui help index mergetool pack pager pull push rebase rerere sequence stash status svn svn-remote tag user versionsort",
)

/** Other sections by key, with or without a subsection. What is not here could name anything. */
const plainKeys = lazily((): { readonly [section: string]: ReadonlySet<string> } => ({
  add: words("ignoreerrors"),
  apply: words("ignorewhitespace whitespace"),
  blame: words("blankboundary coloring date markignoredlines markunblamablelines showemail showroot"),
  clean: words("requireforce"),
  commit: words("cleanup gpgsign status template verbose"),
  credential: words("helper usehttppath username"),
  extensions: words(
    "compatobjectformat noop objectformat partialclone preciousobjects refstorage relativeworktrees worktreeconfig",
  ),
  fetch: words(
    "all fsckobjects negotiationalgorithm output parallel prune prunetags recursesubmodules showforcedupdates unpacklimit writecommitgraph",
  ),
  format: words(
    "attach cc coverletter encodeemailheaders from headers notes numbered outputdirectory pretty signoff subjectprefix suffix thread to useautobase",
  ),
  gc: words(
    "aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks packrefs pruneexpire reflogexpire reflogexpireunreachable rerereresolved rerereunresolved worktreepruneexpire writecommitgraph",
  ),
  gpg: words("format mintrustlevel"),
  grep: words("column extendedregexp linenumber patterntype threads"),
  http: words(
    "extraheader followredirects lowspeedlimit lowspeedtime maxrequests postbuffer proxy schannelcheckrevoke sslverify useragent version",
  ),
  i18n: words("commitencoding logoutputencoding"),
  init: words("defaultbranch"),
  interactive: words("singlekey"),
  lfs: words(
    "access activitytimeout allowincompletepush basictransfersonly batch concurrenttransfers dialtimeout fetchexclude fetchinclude keepalive lockignoredfiles locksverify pruneoffsetdays pushurl repositoryformatversion skipdownloaderrors tlstimeout transfer url",
  ),
  log: words(
    "abbrevcommit date decorate excludedecoration follow graphcolors initialdecorationset mailmap showroot showsignature",
  ),
  maintenance: words("auto autodetach enabled schedule strategy"),
  // A driver is only used by merging again, which is switched off.
  merge: words(
    "autostash branchdesc conflictstyle directoryrenames driver ff guitool log name recursive renamelimit renames stat suppressdest tool verbosity verifysignatures",
  ),
  notes: words("displayref mergestrategy rewritemode rewriteref"),
  protocol: words("version"),
  receive: words("denycurrentbranch denydeletes denynonfastforwards"),
  remote: words(
    "fetch followremotehead gh-resolved glab-resolved lfspushurl lfsurl mirror partialclonefilter promisor prune prunetags push pushurl skipdefaultupdate skipfetchall tagopt url",
  ),
  transfer: words("fsckobjects hiderefs unpacklimit"),
  url: words("insteadof pushinsteadof"),
  worktree: words("guessremote userelativepaths"),
}))
