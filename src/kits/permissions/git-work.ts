/** What a call does to a git repository: certainly, or possibly where it cannot be told. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isOpaque, programName, runsAnother } from "#ground/workspace/shell/programs/launchers.ts"
import type { JudgedCall } from "./call.ts"

/** What a part of a command does to a repository, without a subject; undefined if it is not about one, or only reads. */
export function describeGitWork(segment: Segment): string | undefined {
  if (!isGit(segment) || onlyReadsGit(segment)) return undefined
  const { history, remote } = workOf(segment)
  if (history) return "rewrites history"
  return remote ? "changes the repository or its remote" : "changes the repository"
}

/** `history`: commits are replaced or dropped. `remote`: it reaches another repository. */
export interface GitWork {
  readonly what: string
  readonly isCertain: boolean
  readonly history?: true
  readonly remote?: true
}

/** Undefined if it certainly only reads the repository, or does not touch it. */
export function gitWorkOf(call: JudgedCall): GitWork | undefined {
  const { commands, writes, tool, footprint } = call
  if (writes.some((path) => path.split("/").includes(".git")))
    return { what: "changes files of the repository itself", isCertain: true }
  if (tool.coordinates) return { what: "merges a branch", isCertain: true }
  if (tool.name.startsWith("mcp__") && footprint.effect !== "reads")
    return { what: "calls a tool of a server, which may change the repository", isCertain: false }
  for (const { analysis, everything } of commands) {
    const certain = everything.find((segment) => isGit(segment) && !onlyReadsGit(segment))
    if (certain) return workOf(certain)
    if (!analysis.understood)
      return { what: "runs a command that cannot be checked, which may change the repository", isCertain: false }
    const dark = everything.find((segment) => segment.verdict !== "read_only" && isScript(segment))
    if (dark) return { what: `runs \`${shortened(dark.text)}\`, which may change the repository`, isCertain: false }
  }
  return undefined
}

/** Programs for git repositories and the hosts they are on. */
const gitPrograms: ReadonlySet<string> = new Set(
  "git gh glab hub jj lazygit tig gitui stg git-lfs git-filter-repo".split(" "),
)

const isGit = ({ argv: [name = ""] }: Segment): boolean => {
  const program = programName(name)
  return gitPrograms.has(program) || program.startsWith("git-")
}

/** These change no commit, index, branch or remote, whatever flags they get. An alias cannot replace them. */
const readers: ReadonlySet<string> = new Set(
  "annotate blame cat-file check-attr check-ignore count-objects describe diff diff-files diff-index diff-tree for-each-ref grep help log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status version whatchanged".split(
    " ",
  ),
)

function onlyReadsGit({ verdict, unbounded, argv, inexact, open, assignments }: Segment): boolean {
  if (verdict === "read_only" && !unbounded) return true
  if (argv[0] !== "git" || open || assignments.length > 0) return false
  const at = subcommandAt(argv)
  return at !== undefined && !inexact.some((word) => word <= at) && readers.has(argv[at] ?? "")
}

/** Undefined after a global option that may run something, such as `-c`. */
function subcommandAt(argv: readonly string[]): number | undefined {
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? ""
    if (!word.startsWith("-")) return at
    if (word === "-C" || word === "--git-dir" || word === "--work-tree") at++
    else if (
      !/^(?:-[pP]|--(?:no-pager|paginate|no-optional-locks|git-dir=.+|work-tree=.+|literal-pathspecs))$/.test(word)
    )
      return undefined
  }
  return undefined
}

const rewriting: ReadonlySet<string> = new Set(
  "rebase filter-branch filter-repo reset reflog replace gc prune update-ref".split(" "),
)
const remoteWork: ReadonlySet<string> = new Set(
  "push fetch pull clone remote send-pack request-pull submodule ls-remote".split(" "),
)

function workOf(segment: Segment): GitWork {
  const { argv, text } = segment
  const program = programName(argv[0] ?? "")
  const at = subcommandAt(argv)
  const verb = program.startsWith("git-") ? program.slice("git-".length) : (argv[at ?? 1] ?? "")
  const has = (...flags: readonly string[]): boolean => argv.some((word) => flags.includes(word.split("=")[0] ?? ""))
  const isHistory =
    rewriting.has(verb) ||
    (verb === "commit" && has("--amend")) ||
    (verb === "push" &&
      (has("-f", "--force", "--force-with-lease", "--mirror") || argv.some((word) => /^\+./.test(word)))) ||
    (verb === "branch" && has("-D", "-M", "-f", "--force")) ||
    (verb === "checkout" && has("-B")) ||
    (verb === "tag" && has("-d", "-f", "--delete", "--force"))
  const isRemote = program === "gh" || program === "glab" || program === "hub" || remoteWork.has(verb)
  return {
    what: `runs \`${shortened(text)}\`, which changes ${isRemote ? "the repository or its remote" : "the repository"}`,
    isCertain: true,
    ...(isHistory && { history: true }),
    ...(isRemote && { remote: true }),
  }
}

/** Code that nobody has read: a file of its own, a script for an interpreter, or text that is run. */
function isScript({ argv }: Segment): boolean {
  const [name = "", ...rest] = argv
  if (name.includes("/")) return true
  if (!isOpaque(name) && !runsAnother(argv)) return false
  // A test runner of the language itself.
  return !(rest[0] === "test" || rest.includes("--test") || (rest[0] === "-m" && rest[1] === "pytest"))
}

const shortened = (text: string): string => {
  const [line = ""] = text.split("\n", 1)
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}
