/** git: the subcommands and flags with which it only shows things, without global options. */

import { lazily } from "#lib/lazily.ts"
import type { Argument } from "#ground/workspace/shell/argument.ts"
import { gitSecretShown, holdsSecrets } from "#ground/workspace/shell/programs/git-secrets.ts"
import type { Lists } from "#ground/workspace/shell/made-names.ts"
import type { SortedWords, Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Family } from "#ground/workspace/shell/programs/program.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import { diffFlags, filters, hashing, listing, logFlags, naming, revisionFlags } from "./git-flags.ts"

const log: Shape = {
  flags: logFlags,
  operands: "text*",
  digits: true,
  unless: verifies,
  // Hashes and nothing else, one in a line.
  prints: ({ flags, values }) =>
    [...flags].every((flag) => hashing.has(flag) || flag === "--format" || flag === "--pretty") &&
    values.some(({ flag, value }) => /^--(?:format|pretty)$/.test(flag) && /^(?:format:)?%[hH]$/.test(value.text)) &&
    values.every(({ flag, value }) => !/^--(?:format|pretty)$/.test(flag) || /^(?:format:)?%[hH]$/.test(value.text))
      ? "token"
      : undefined,
}
const diff = {
  flags: `${diffFlags} --cached --staged --merge-base --no-index --base --ours --theirs -0 -1 -2 -3`,
  operands: gitPaths,
  lists: namesInDiff,
} as const

export const git: () => Family = lazily(() => ({
  repository: true,
  tellsUsage: true,
  // What runs unasked has no pager anyway.
  idleFlags: ["--no-pager", "--no-optional-locks"],
  folderFlag: "-C",
  alone: { flags: "--version -v --help --exec-path --html-path" },
  subcommands: { ...ofChanges(), ...ofNamesAndPlaces() },
}))

const ofChanges = (): Family["subcommands"] => ({
  version: { flags: "--build-options" },
  status: {
    flags:
      "-s -b -u?word -z -v -vv --short --branch --show-stash --porcelain?word --long --verbose --untracked-files?word --ignore-submodules?word --ignored?word --column?word --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?word",
    operands: "text*",
  },
  log,
  show: log,
  whatchanged: log,
  diff,
  "diff-tree": {
    flags: `${diffFlags} -r -t --root --stdin -m -c --cc --no-commit-id --pretty?text --format:text`,
    operands: "text*",
    unless: verifies,
  },
  // Neither brings the index up to date.
  "diff-index": { flags: `${diffFlags} --cached -m --merge-base`, operands: "text+" },
  "diff-files": { flags: `${diffFlags} -0 -1 -2 -3 -c --cc`, operands: "text*" },
  "show-branch": {
    flags:
      "-a -r --all --remotes --current --topo-order --date-order --sparse --more:number --list --merge-base --independent --no-name --sha1-name --topics -g?word --reflog?word --color?word --no-color",
    operands: "text*",
  },
  "hash-object": {
    // No -w, which keeps it.
    flags: "-t:word --no-filters --stdin",
    operands: "path*",
    prints: ({ operands }) => (operands.length <= 1 ? "token" : undefined),
  },
  apply: {
    // Without one of these it would change the files.
    flags: "--stat --numstat --summary --check -p:number -R --reverse --cached --index -v --verbose",
    operands: "path*",
    unless: ({ flags }) =>
      ["--stat", "--numstat", "--summary", "--check"].some((flag) => flags.has(flag))
        ? undefined
        : "it would change files",
  },
  bundle: {
    subcommands: {
      verify: { flags: "-q --quiet", operands: "path" },
      "list-heads": { operands: "path text*" },
    },
  },
  archive: {
    flags: "-l --list",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "it would pack the files"),
  },
  rerere: { subcommands: { status: {}, diff: {}, remaining: {} } },
  "sparse-checkout": { subcommands: { list: {} } },
  "check-ref-format": { flags: "--branch --allow-onelevel --normalize", operands: "text" },
  "check-mailmap": { flags: "--stdin", operands: "text*" },
  "verify-pack": { flags: "-v -s --verbose --stat-only", operands: "path+" },
  "patch-id": { flags: "--stable --unstable --verbatim" },
  stripspace: { flags: "-s -c --strip-comments --comment-lines" },
  help: { flags: "-a -g --all --guides --no-external-commands --no-aliases" },
  "range-diff": {
    flags: `${diffFlags} --creation-factor:number --no-dual-color --left-only --right-only`,
    operands: "text*",
  },
  blame: {
    flags:
      "-b -l -t -s -e -w -p -c -f -n -L:text --root --show-stats --incremental --date:text --porcelain --line-porcelain --show-name --show-number --show-email --score-debug --abbrev:number --since:text --first-parent --reverse -M?number -C?number --color-lines --color-by-age",
    operands: "text*",
  },
  annotate: { flags: "-l -t -s -e -w -L:text", operands: "text*" },
  shortlog: {
    flags: `${revisionFlags} -s -e -c -w?word --summary --numbered --email --committer --group:text --format:text -n`,
    operands: "text*",
    digits: true,
    unless: verifies,
  },
  "rev-list": {
    flags: `${revisionFlags} --oneline --pretty?text --format:text --abbrev-commit --parents --children --timestamp --objects --header --date:text --graph --disk-usage?word --quiet --no-commit-header --missing:word`,
    operands: "text*",
    digits: true,
    unless: verifies,
    prints: ({ flags }) => {
      if (flags.has("--count")) return flags.has("--left-right") || flags.has("--cherry-mark") ? undefined : "number"
      return [...flags].every((flag) => hashing.has(flag)) ? "token" : undefined
    },
  },
  "rev-parse": {
    flags:
      "-q --quiet --verify --short?number --symbolic --symbolic-full-name --abbrev-ref?word --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --git-dir --git-common-dir --absolute-git-dir --git-path:text --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format?word --disambiguate:word --revs-only --no-revs --flags --no-flags --default:text --since:text --until:text --path-format:word --local-env-vars --sq --not",
    operands: "text*",
    // What it does not know it prints as it came.
    prints: ({ flags, operands }) =>
      operands.length === 1 &&
      operands[0]?.kind === "exact" &&
      /^[\w./@{}~-]+$/.test(operands[0].text) &&
      !operands[0].text.includes("..") &&
      [...flags].every((flag) => /^(?:-q|--quiet|--verify|--short)$/.test(flag))
        ? "token"
        : undefined,
  },
})

const ofNamesAndPlaces = (): Family["subcommands"] => ({
  "ls-files": {
    // No -X: it reads a file from anywhere.
    flags:
      "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude-standard -x:text --exclude:text --error-unmatch --full-name --abbrev?number --debug --format:text",
    operands: "text*",
    lists: ({ flags, operands }) =>
      staysBelow(operands) && [...flags].every((flag) => namingFiles.has(flag))
        ? {
            kind: "tracked",
            from: "here",
            untracked: ["-o", "-i", "--others", "--ignored"].some((flag) => flags.has(flag)),
            passes: pathsFit(operands),
            nul: flags.has("-z"),
          }
        : undefined,
  },
  "ls-tree": {
    flags:
      "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev?number --format:text",
    operands: "text+",
  },
  "cat-file": {
    // No --textconv and no --filters, which run what is configured.
    flags: "-t -s -e -p --batch-check?text --batch-all-objects --buffer --unordered",
    operands: "text? text?",
  },
  "show-ref": {
    flags: "-d -s -q --head --heads --branches --tags --dereference --hash?number --abbrev?number --verify --quiet",
    operands: "text*",
  },
  "for-each-ref": {
    flags: `${listing} --count:number --shell --perl --python --tcl --omit-empty`,
    operands: "text*",
    unless: verifies,
  },
  "merge-base": {
    flags: "-a --all --octopus --independent --is-ancestor --fork-point",
    operands: "text+",
    prints: ({ flags }) => (["-a", "--all", "--independent"].some((flag) => flags.has(flag)) ? undefined : "token"),
  },
  "name-rev": {
    flags: "--tags --refs:text --exclude:text --all --name-only --always --undefined --no-undefined",
    operands: "text*",
  },
  // With --dirty it records in the index when it looked at a file, like plain status: the content stays.
  describe: {
    flags:
      "--dirty?text --broken?text --all --tags --contains --abbrev:number --candidates:number --exact-match --debug --long --match:text --exclude:text --always --first-parent",
    operands: "text*",
  },
  "count-objects": { flags: "-v -H --verbose --human-readable" },
  "check-ignore": { flags: "-q -v -n -z --quiet --verbose --non-matching --no-index", operands: "text+" },
  "check-attr": { flags: "-a -z --all --cached", operands: "text+" },
  cherry: { flags: "-v --abbrev?number", operands: "text*" },
  grep: {
    // No -O and no --no-index; --textconv is off unless asked for.
    flags:
      "-a -I -i -w -v -h -H -E -G -P -F -n -l -L -c -p -W -o -q -z -A:number -B:number -C:number -e:text -m:number --cached --untracked --no-exclude-standard --exclude-standard --no-textconv --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color?word --no-color --break --heading --show-function --function-context --and --or --not --all-match --quiet --max-depth:number --max-count:number --threads:number --after-context:number --before-context:number --context:number",
    operands: "text*",
    digits: true,
    lists: namesInGrep,
  },
  branch: { flags: `${listing} --list --show-current`, operands: "text*", unless: wantsList("--list", ...filters) },
  tag: { flags: `${listing} -l --list -n?number`, operands: "text*", unless: wantsList("-l", "--list", ...filters) },
  remote: {
    alone: { flags: "-v --verbose", unlessAround: addressesShown },
    subcommands: { show: {}, "get-url": { flags: "--all --push", operands: "word", unlessAround: addressesShown } },
  },
  stash: {
    subcommands: {
      list: log,
      show: { flags: `${diffFlags} --include-untracked --only-untracked`, operands: "text*" },
    },
  },
  reflog: {
    alone: { flags: logFlags, digits: true, unless: verifies },
    subcommands: { show: log, exists: { operands: "text" } },
  },
  worktree: { subcommands: { list: { flags: "-v -z --verbose --porcelain --expire:text" } } },
  config: {
    // Without a flag that reads, a second operand would be written.
    flags:
      "-l -z --get --get-all --get-regexp --get-urlmatch --list --null --name-only --show-origin --show-scope --global --local --system --worktree --includes --type:word --bool --int --default:text",
    operands: "text*",
    unless: readsConfig,
    unlessAround: gitSecretShown,
    asks: "git-settings",
  },
  // A second operand would be written.
  "symbolic-ref": { flags: "-q --quiet --short --recurse --no-recurse", operands: "text" },
  var: { flags: "-l", operands: "word?", unlessAround: settingsShown, asks: "git-settings" },
  bisect: { subcommands: { log: {}, terms: {} } },
  notes: { subcommands: { list: { operands: "word?" }, show: { operands: "word?" } } },
})

/** Two untracked paths are compared like any others, wherever they are. */
function gitPaths({ flags, operands }: SortedWords): string {
  if (flags.has("--no-index")) return "path path"
  if (operands.every(({ kind, text, token }) => token || (kind === "exact" && !leavesFolder(text)))) return "text*"
  return operands
    .map(({ kind, text }) => (kind === "exact" && !leavesFolder(text) ? "text" : "path"))
    .join(" ")
    .concat(" text*")
}

const leavesFolder = (text: string): boolean => text.startsWith("/") || text.split("/").includes("..")

/** From a folder inside a repository git also prints names above it, when asked about them. */
const staysBelow = (operands: readonly Argument[]): boolean =>
  operands.every(({ kind, text }) => kind === "exact" && !text.startsWith(":") && !leavesFolder(text))

/** Whether a name could be one of those that the paths of a command mean. */
function pathsFit(operands: readonly Argument[]): (name: string) => boolean {
  const tests = operands.map(({ text }) => {
    const [first = "", ...rest] = text.toLowerCase().split(/[*?[\\]+/)
    // After a bracket or a backslash the meaning is unknown.
    const last = /[[\\]/.test(text) ? "" : (rest.at(-1) ?? "")
    return { first: first.replace(/^(?:\.\/)+|^\.$/g, ""), last }
  })
  return (name) => {
    const low = name.toLowerCase()
    return tests.length === 0 || tests.some(({ first, last }) => low.startsWith(first) && low.includes(last))
  }
}

/** Without a commit the names are those in the index; what was removed since a commit is only known to that commit. */
function namesInDiff({ flags, operands, behindDashes, values }: SortedWords): Lists | undefined {
  const kept = values.find(({ flag }) => flag === "--diff-filter")?.value
  const isKept = kept?.kind === "exact" && /^(?:[ACMRT]+|[a-z]*d[a-z]*)$/.test(kept.text)
  const commits = operands.slice(0, operands.length - behindDashes.length)
  const isIndexed =
    commits.length === 0 && !flags.has("--cached") && !flags.has("--staged") && !flags.has("--merge-base")
  const [commit, ...more] = commits
  const isSinceCommit = isKept && more.length === 0 && (commit === undefined || isOneCommit(commit))
  if (!(isIndexed || isSinceCommit) || !flags.has("--name-only") || ![...flags].every((flag) => naming.has(flag)))
    return undefined
  return { kind: "tracked", from: "top", untracked: false, passes: () => true, nul: flags.has("-z") }
}

const isOneCommit = ({ kind, text }: Argument): boolean => kind === "exact" && /^[\w@~^/-]+$/.test(text)

/** Only a pattern and what is after `--`: another operand could be a commit, whose names are unknown. */
function namesInGrep({ flags, operands, behindDashes }: SortedWords): Lists | undefined {
  const patterns = flags.has("-e") ? 0 : 1
  if (!["-l", "--name-only", "--files-with-matches"].some((flag) => flags.has(flag))) return undefined
  if (operands.length - behindDashes.length > patterns || ![...flags].every((flag) => namingMatches.has(flag)))
    return undefined
  const paths = operands.slice(patterns)
  return staysBelow(paths)
    ? {
        kind: "tracked",
        from: "here",
        untracked: flags.has("--untracked"),
        passes: pathsFit(paths),
        nul: flags.has("-z") || flags.has("--null"),
      }
    : undefined
}

const namingFiles: ReadonlySet<string> = new Set(
  "-c -d -m -o -i -z -x --cached --deleted --modified --others --ignored --exclude-standard --exclude --error-unmatch --deduplicate".split(
    " ",
  ),
)

const namingMatches: ReadonlySet<string> = new Set(
  "-l --name-only --files-with-matches -i -w -v -E -G -P -F -e -n -I -a -z --null --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --cached --untracked --and --or --not --all-match --max-depth".split(
    " ",
  ),
)

/** A format may ask for the signature of a commit, which starts a program to check it. */
function verifies({ values }: Sorted): string | undefined {
  const formats = values.filter(({ flag }) => /format|pretty|sort/.test(flag))
  if (formats.some(({ value }) => value.kind !== "exact")) return "its format is not known"
  return formats.some(({ value }) => /%G|[sS]ignature/.test(value.text)) ? "its format checks signatures" : undefined
}

/** Without the flag that lists, an operand names a new branch or tag. */
function wantsList(...flags: readonly string[]): (words: Sorted) => string | undefined {
  return (words) =>
    words.operands.length > 0 && !flags.some((flag) => words.flags.has(flag))
      ? "it would make what it names"
      : verifies(words)
}

/** All settings are shown with -l, beside the variables. */
const settingsShown: NonNullable<Shape["unlessAround"]> = ({ flags }, standing) =>
  flags.has("-l") && holdsSecrets(standing) ? "git's settings hold secrets" : undefined

const addressesShown: NonNullable<Shape["unlessAround"]> = ({ flags, operands }, standing) =>
  (flags.size > 0 || operands.length > 0) && holdsSecrets(standing) ? "an address could hold a password" : undefined

function readsConfig({ flags, operands }: Sorted): string | undefined {
  const isList = flags.has("-l") || flags.has("--list")
  if (isList) return operands.length === 0 ? undefined : "it has more operands than are on the list"
  const gets = [...flags].some((flag) => flag.startsWith("--get"))
  const [first, second, ...more] = operands
  // Newer versions have subcommands: a name without a dot is one, never a key.
  if (first?.text === "list" && operands.length === 1) return undefined
  if (first?.text === "get" && second?.kind === "exact" && second.text.includes(".") && more.length === 0)
    return undefined
  if (first && !(first.kind === "exact" && (first.text.includes(".") || flags.has("--get-regexp"))))
    return "it could write the configuration"
  if (gets ? operands.length >= 1 && operands.length <= 2 : operands.length === 1) return undefined
  return "it could write the configuration"
}
