/** Searching: by name and by content, without starting anything for what is found. */

import type { WalkedFile } from "#ground/workspace/shell/analysis.ts"
import type { SortedWords } from "#ground/workspace/shell/sort-out.ts"
import type { Lists } from "#ground/workspace/shell/made-names.ts"
import type { Table } from "#ground/workspace/shell/programs/program.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import { judgeFind } from "#ground/workspace/shell/programs/find.ts"
import { judgeTest } from "#ground/workspace/shell/condition.ts"
import { lazily } from "#lib/lazily.ts"

/** -R follows links wherever they lead, so these are checked; -r does not. */
const grepFlags =
  "-E -F -G -P -e:text -f:path -i -y -v -w -x -c -L -l -m:number -o -q -s -b -H -h -n -T -Z -z -A:number -B:number -C:number -a -I -r -R -U --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp:text --file:path --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color?word --colour?word --files-without-match --files-with-matches --max-count:number --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label:text --line-number --initial-tab --null --null-data --after-context:number --before-context:number --context:number --text --binary-files:word --exclude:text --exclude-dir:text --include:text --recursive --dereference-recursive --binary --line-buffered -d:word --directories:word --help --version -V"

const grep = {
  flags: grepFlags,
  operands: patternFirst,
  anything: "patterns",
  here: ({ flags }: SortedWords) => flags.has("-r") || flags.has("--recursive") || dereferences(flags),
  follows: ({ flags }: SortedWords) => dereferences(flags),
  // Over several files it names each.
  prints: ({ flags, operands, values }: SortedWords) =>
    (flags.has("-c") || flags.has("--count")) &&
    [...flags].every((flag) => flag === "-c" || flag === "--count" || passing.has(flag)) &&
    operands.length <= (values.some(({ flag }) => flag === "-e" || flag === "--regexp") ? 1 : 2) &&
    operands.every(({ kind }) => kind === "exact")
      ? ("number" as const)
      : undefined,
  digits: true,
  lists: namesByGrep,
  passes: ({ flags }: SortedWords) => [...flags].every((flag) => passing.has(flag)),
} as const

/** The output of searches that follow no link: names below the folders they are given. */
const belowFolders = { kind: "below", roots: false, passes: ({ isLink }: WalkedFile): boolean => !isLink } as const

/** Only names, of files that it was given or found itself: its input has no name. */
function namesByGrep({ flags, operands }: SortedWords): Lists | undefined {
  const isNaming = ["-l", "-L", "--files-with-matches", "--files-without-match"].some((flag) => flags.has(flag))
  const isNamed = flags.has("-r") || flags.has("--recursive") || operands.length > 1
  if (!isNaming || !isNamed || operands.some(({ text }) => text === "-")) return undefined
  return [...flags].every((flag) => namingByGrep.has(flag))
    ? { ...belowFolders, nul: flags.has("-Z") || flags.has("--null") }
    : undefined
}

const namingByGrep: ReadonlySet<string> = new Set(
  "-l -L --files-with-matches --files-without-match -r --recursive -E -F -G -P -e -f -i -y -v -w -x -h -H -n -s -a -I -m -Z --null --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp --file --ignore-case --invert-match --word-regexp --line-regexp --max-count --no-messages --text --include --exclude --exclude-dir".split(
    " ",
  ),
)

const namingByRg: ReadonlySet<string> = new Set(
  "-l --files --files-with-matches --files-without-match -e -f -i -s -S -v -w -x -n -N -F -P -U -a -u -uu -uuu -0 --null -g -m -t -T -j -d --regexp --file --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --fixed-strings --pcre2 --multiline --text --unrestricted --glob --iglob --max-count --max-depth --type --type-not --threads --hidden -. --no-ignore --no-ignore-vcs --no-messages --sort --sortr --no-config".split(
    " ",
  ),
)

const dereferences = (flags: ReadonlySet<string>): boolean => flags.has("-R") || flags.has("--dereference-recursive")

/** Flags with which grep prints lines unchanged. */
const passing: ReadonlySet<string> = new Set([
  "-E",
  "-F",
  "-G",
  "-P",
  "-e",
  "-i",
  "-v",
  "-w",
  "-x",
  "-h",
  "-a",
  "-s",
  "--invert-match",
  "--ignore-case",
  "--regexp",
])

const fd: Shape = {
  // No -x, no -X, no -L, no -l (which starts ls).
  flags:
    "-H -I -u -s -i -g -a -p -0 -F -1 -q -d:number -t:word -e:word -E:text -c:word -j:number -S:word --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --print0 --max-depth:number --min-depth:number --exact-depth:number --type:word --extension:word --exclude:text --size:word --changed-within:text --changed-before:text --owner:word --color:word --threads:number --max-results:number --strip-cwd-prefix --one-file-system --version -V --help -h",
  operands: "text? path*",
  here: true,
  lists: ({ flags }) =>
    ["-a", "--absolute-path", "-c", "--color", "-h", "--help", "-V", "--version"].some((flag) => flags.has(flag))
      ? undefined
      : { ...belowFolders, passes: () => true, nul: flags.has("-0") || flags.has("--print0") },
}

export const search: () => Table = lazily(() => ({
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    // No --pre, no --hostname-bin, no -z, which start programs.
    flags:
      "-L --follow -e:text -f:path -i -s -S -v -w -x -c -l -o -q -n -N -H -I -h -F -P -U -a -u -uu -uuu -p -0 -A:number -B:number -C:number -g:text -m:number -M:number -t:word -T:word -j:number -d:number -r:text --regexp:text --file:path --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --count --count-matches --files --files-with-matches --files-without-match --only-matching --quiet --line-number --no-line-number --with-filename --no-filename --fixed-strings --pcre2 --multiline --multiline-dotall --text --unrestricted --pretty --null --null-data --after-context:number --before-context:number --context:number --glob:text --iglob:text --glob-case-insensitive --max-count:number --max-columns:number --max-columns-preview --max-depth:number --max-filesize:word --type:word --type-not:word --type-list --threads:number --replace:text --hidden --no-hidden -. --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-exclude --no-messages --no-heading --heading --column --no-column --color:word --colors:text --json --stats --trim --vimgrep --sort:word --sortr:word --debug --no-config --crlf --engine:word --encoding:word -E:word --byte-offset -b --passthru --one-file-system --line-buffered --block-buffered --no-unicode --stop-on-nonmatch --context-separator:text --version -V --help",
    operands: patternFirst,
    here: true,
    follows: ({ flags }) => flags.has("-L") || flags.has("--follow"),
    lists: ({ flags }) =>
      ["-l", "--files", "--files-with-matches", "--files-without-match"].some((flag) => flags.has(flag)) &&
      [...flags].every((flag) => namingByRg.has(flag))
        ? { ...belowFolders, nul: flags.has("-0") || flags.has("--null") }
        : undefined,
  },
  fd,
  fdfind: fd,
  find: { judge: judgeFind },
  test: { judge: (args) => judgeTest(args) },
  "[": { judge: (args) => judgeTest(closed(args)) },
}))

/** The first operand is the pattern, unless a flag gave it. */
function patternFirst({ flags, operands }: SortedWords): string {
  // If a shell pattern comes first, it may be any of the files it matches, or one of each.
  if (operands[0]?.kind === "glob") return "path*"
  const patternlessFlags = ["-e", "-f", "--regexp", "--file", "--files", "--type-list", "--version", "-V", "--help"]
  return patternlessFlags.some((flag) => flags.has(flag)) ? "path*" : "text path*"
}

/** `[` needs its counterpart. */
function closed<T extends { readonly text: string }>(args: readonly T[]): readonly T[] | undefined {
  return args.at(-1)?.text === "]" ? args.slice(0, -1) : undefined
}
