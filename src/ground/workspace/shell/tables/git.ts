/** git: the subcommands and flags under which it only shows, with no global options. */

import type { Argument } from "#ground/workspace/shell/argument.ts"
import type { Given, Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Family } from "#ground/workspace/shell/program.ts"

/** No --output, no -O, no --ext-diff, no --textconv, no --no-index, no --submodule. */
const diffFlags =
  "-p -u -s --patch --no-patch -U?number --unified:number --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm:word --anchored:text --stat?word --numstat --shortstat --dirstat?word --summary --compact-summary --patch-with-stat -z --name-only --name-status --color?word --no-color --color-moved?word --no-color-moved --word-diff?word --word-diff-regex:text --color-words?text --renames --no-renames --check --full-index --binary --abbrev?number --no-abbrev -B?word -M?word -C?word -D --find-renames?word --find-copies?word --find-copies-harder --break-rewrites?word --diff-filter:word -S:text -G:text --find-object:text --pickaxe-all --pickaxe-regex -R --relative?text --no-relative -a --text -b -w --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --inter-hunk-context:number -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?word --src-prefix:text --dst-prefix:text --no-prefix --default-prefix --line-prefix:text --ita-invisible-in-index --indent-heuristic --no-indent-heuristic"

const revisionFlags =
  "-n:number --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text --committer:text --grep:text --grep-reflog:text --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges --min-parents:number --max-parents:number --first-parent --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --reflog --boundary --not --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path --date-order --author-date-order --topo-order --reverse --no-walk?word --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --show-pulls -g --walk-reflogs --count"

const logFlags = `${revisionFlags} ${diffFlags} --oneline --pretty?text --format:text --abbrev-commit --no-abbrev-commit --relative-date --date:text --parents --children --graph --no-graph --decorate?word --no-decorate --decorate-refs:text --decorate-refs-exclude:text --clear-decorations --source --follow --full-diff --log-size -L:text -c --cc -m --notes --no-notes --mailmap --no-mailmap --use-mailmap --no-use-mailmap --encoding:word --show-linear-break`

const log = { flags: logFlags, operands: "text*", digits: true, unless: verifies } as const
const diff = {
  flags: `${diffFlags} --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3`,
  operands: gitPaths,
  lists: ({ flags, operands }: Given) =>
    staysBelow(operands) && flags.has("--name-only") && [...flags].every((flag) => naming.has(flag)),
} as const

/** Flags under which the names that `git diff` prints are names and nothing else. */
const naming: ReadonlySet<string> = new Set([
  "--name-only",
  "--cached",
  "--staged",
  "--diff-filter",
  "--merge-base",
  "--no-renames",
  "--no-color",
  "--no-relative",
])

const listing =
  "-a -r -v -vv --all --remotes --verbose -i --ignore-case --color?word --no-color --column?word --no-column --abbrev?number --no-abbrev --sort:word --format:text --contains?text --no-contains?text --merged?text --no-merged?text --points-at?text"

/** Each of them makes a list of it, and takes the commit behind it or the newest. */
const filters = ["--contains", "--no-contains", "--merged", "--no-merged", "--points-at"] as const

export const git: Family = {
  repository: true,
  // What runs unasked has no pager anyway.
  idleFlags: ["--no-pager", "--no-optional-locks"],
  alone: { flags: "--version -v --help --exec-path --html-path" },
  subcommands: {
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
    },
    "rev-parse": {
      flags:
        "-q --quiet --verify --short?number --symbolic --symbolic-full-name --abbrev-ref?word --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --git-dir --git-common-dir --absolute-git-dir --git-path:text --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format?word --disambiguate:word --revs-only --no-revs --flags --no-flags --default:text --since:text --until:text --path-format:word --local-env-vars --sq --not",
      operands: "text*",
    },
    "ls-files": {
      // No -X: it reads a file from anywhere.
      flags:
        "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude-standard -x:text --exclude:text --error-unmatch --full-name --abbrev?number --debug --format:text",
      operands: "text*",
      lists: ({ flags, operands }) =>
        staysBelow(operands) &&
        !["-s", "-t", "-v", "-u", "--stage", "--unmerged", "--eol", "--debug", "--format"].some((flag) =>
          flags.has(flag),
        ),
    },
    "ls-tree": {
      flags:
        "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev?number --format:text",
      operands: "text+",
    },
    "cat-file": { flags: "-t -s -e -p", operands: "text text?" },
    "show-ref": {
      flags: "-d -s -q --head --heads --branches --tags --dereference --hash?number --abbrev?number --verify --quiet",
      operands: "text*",
    },
    "for-each-ref": {
      flags: `${listing} --count:number --shell --perl --python --tcl --omit-empty`,
      operands: "text*",
      unless: verifies,
    },
    "merge-base": { flags: "-a --all --octopus --independent --is-ancestor --fork-point", operands: "text+" },
    "name-rev": {
      flags: "--tags --refs:text --exclude:text --all --name-only --always --undefined --no-undefined",
      operands: "text*",
    },
    // No --dirty and no --broken: they lock the index and write it anew.
    describe: {
      flags:
        "--all --tags --contains --abbrev:number --candidates:number --exact-match --debug --long --match:text --exclude:text --always --first-parent",
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
      lists: ({ flags, operands }) =>
        staysBelow(operands) && ["-l", "--name-only", "--files-with-matches"].some((flag) => flags.has(flag)),
    },
    branch: { flags: `${listing} --list --show-current`, operands: "text*", unless: wantsList("--list", ...filters) },
    tag: { flags: `${listing} -l --list -n?number`, operands: "text*", unless: wantsList("-l", "--list", ...filters) },
    remote: {
      alone: { flags: "-v --verbose" },
      subcommands: { show: {}, "get-url": { flags: "--all --push", operands: "word" } },
    },
    stash: {
      subcommands: {
        list: log,
        show: { flags: `${diffFlags} --include-untracked --only-untracked`, operands: "text*" },
      },
    },
    reflog: { alone: { flags: logFlags, digits: true, unless: verifies }, subcommands: { show: log } },
    worktree: { subcommands: { list: { flags: "-v -z --verbose --porcelain --expire:text" } } },
    config: {
      // Without a flag that reads, a second operand would be written.
      flags:
        "-l -z --get --get-all --get-regexp --get-urlmatch --list --null --name-only --show-origin --show-scope --global --local --system --worktree --includes --type:word --bool --int --default:text",
      operands: "text*",
      unless: readsConfig,
    },
    // A second operand would be written.
    "symbolic-ref": { flags: "-q --quiet --short --recurse --no-recurse", operands: "text" },
    var: { flags: "-l", operands: "word?" },
    bisect: { subcommands: { log: {}, terms: {} } },
    notes: { subcommands: { list: { operands: "word?" }, show: { operands: "word?" } } },
  },
}

/** Two paths that git does not track are compared like any others, wherever they lie. */
function gitPaths({ operands }: Given): string {
  return operands
    .map(({ kind, text }) => (kind === "exact" && !leavesFolder(text) ? "text" : "path"))
    .join(" ")
    .concat(" text*")
}

const leavesFolder = (text: string): boolean => text.startsWith("/") || text.split("/").includes("..")

/** From a folder inside a repository git also prints names above it, when it is asked about them. */
const staysBelow = (operands: readonly Argument[]): boolean =>
  operands.every(({ kind, text }) => kind === "exact" && !text.startsWith(":") && !leavesFolder(text))

/** A format may ask for the signature of a commit, which starts a program to check it. */
function verifies({ values }: Sorted): string | undefined {
  const formats = values.filter(({ flag }) => /format|pretty|sort/.test(flag))
  if (formats.some(({ value }) => value.kind !== "exact")) return "its format is not known"
  return formats.some(({ value }) => /%G|signature/i.test(value.text)) ? "its format checks signatures" : undefined
}

/** Without the flag that lists, an operand names a new branch or tag. */
function wantsList(...flags: readonly string[]): (given: Sorted) => string | undefined {
  return (given) =>
    given.operands.length > 0 && !flags.some((flag) => given.flags.has(flag))
      ? "it would make what it names"
      : verifies(given)
}

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
