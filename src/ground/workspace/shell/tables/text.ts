/** Text: what prints, counts, cuts and compares it without writing any. */

import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Argument } from "#ground/workspace/shell/argument.ts"
import { type Finding, reading, refused, type Table } from "#ground/workspace/shell/programs/program.ts"
import { fit, type Shape } from "#ground/workspace/shell/shape.ts"
import { judgeAwk } from "#ground/workspace/shell/programs/awk.ts"
import { judgeSed } from "#ground/workspace/shell/programs/sed.ts"
import { lazily } from "#lib/lazily.ts"
import { filterObjection } from "./filter.ts"

const help = "--help --version"

export const text: () => Table = lazily(() => ({
  sort: {
    // No -o, no --compress-program, no -T, no --files0-from, no --random-source.
    flags: `-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k:word -t:text -S:word --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --sort:word --check?word --key:word --merge --stable --field-separator:text --unique --zero-terminated --buffer-size:word --parallel:number --debug ${help}`,
    operands: "path*",
    passes: ({ flags }) => !flags.has("-z"),
  },
  uniq: {
    // A second operand would be written.
    flags: `-c -d -D -i -u -z -f:number -s:number -w:number --count --repeated --all-repeated?word --skip-fields:number --group?word --ignore-case --skip-chars:number --unique --zero-terminated --check-chars:number ${help}`,
    operands: "path?",
    passes: ({ flags }) => flags.size === 0,
  },
  cut: {
    flags: `-b:text -c:text -d:text -f:text -n -s -z --bytes:text --characters:text --delimiter:text --fields:text --complement --only-delimited --output-delimiter:text --zero-terminated ${help}`,
    operands: "path*",
    anything: true,
  },
  tr: {
    flags: `-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1 ${help}`,
    operands: "text text?",
  },
  paste: {
    flags: `-d:text -s -z --delimiters:text --serial --zero-terminated ${help}`,
    operands: "path*",
    anything: true,
  },
  join: {
    flags: `-i -a:number -v:number -1:number -2:number -j:number -t:text -o:text -e:text --ignore-case --check-order --nocheck-order --header -z --zero-terminated ${help}`,
    operands: "path path",
  },
  comm: {
    flags: `-1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter:text --total --zero-terminated ${help}`,
    operands: "path path",
  },
  cmp: {
    flags: `-b -l -s -n:number -i:word --print-bytes --verbose --quiet --silent --bytes:number --ignore-initial:word ${help}`,
    operands: "path path? number? number?",
  },
  diff: {
    // No -l, which starts a pager.
    flags: `-0 -1 -2 -3 -4 -5 -r --recursive --no-dereference -q -s -c -C:number -u -U:number -e -n -y -W:number -p -F:text -t -T -i -E -Z -b -w -B -I:text -a -d -N -x:text --brief --report-identical-files --context?number --unified?number --ed --rcs --side-by-side --width:number --left-column --suppress-common-lines --show-c-function --show-function-line:text --label:text -L:text --expand-tabs --initial-tab --tabsize:number --new-file --unidirectional-new-file --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --text --strip-trailing-cr --minimal --speed-large-files --color?word --exclude:text ${help}`,
    operands: "path path",
    digits: true,
    // Of two folders it compares the files in them, also without -r.
    follows: ({ flags }) =>
      !flags.has("--no-dereference") && (flags.has("-r") || flags.has("--recursive") ? true : "in folders"),
  },
  fold: {
    flags: `-b -s -w:number --bytes --spaces --width:number ${help}`,
    operands: "path*",
    anything: true,
    digits: true,
  },
  fmt: {
    flags: `-c -s -t -u -w:number -g:number -p:text --crown-margin --split-only --tagged-paragraph --uniform-spacing --width:number --goal:number --prefix:text ${help}`,
    operands: "path*",
    digits: true,
  },
  nl: {
    flags: `-b:text -d:text -f:text -h:text -i:number -l:number -n:word -p -s:text -v:number -w:number ${help}`,
    operands: "path*",
    anything: true,
  },
  rev: { flags: "-0 --help --version", operands: "path*", anything: true },
  tac: { flags: `-b -r -s:text --before --regex --separator:text ${help}`, operands: "path*", anything: true },
  expand: { flags: `-i -t:word --initial --tabs:word ${help}`, operands: "path*", digits: true },
  unexpand: { flags: `-a -t:word --all --first-only --tabs:word ${help}`, operands: "path*" },
  column: {
    flags:
      "-t -x -J -s:text -o:text -c:number -N:text -n:text -R:text --table --separator:text --output-separator:text --output-width:number --table-columns:text --json --fillrows --table-right:text",
    operands: "path*",
  },
  shuf: {
    flags: `-e -i:text -n:number -r -z --echo --input-range:text --head-count:number --repeat --zero-terminated ${help}`,
    operands: "path*",
    unless: withoutEcho,
  },
  base64: { flags: `-d -D -i -w:number --decode --ignore-garbage --wrap:number ${help}`, operands: "path?" },
  base32: { flags: `-d -i -w:number --decode --ignore-garbage --wrap:number ${help}`, operands: "path?" },
  od: {
    flags: `-A:word -j:number -N:number -S?number -t:word -v -w?number -a -b -c -d -f -i -l -o -s -x --address-radix:word --skip-bytes:number --read-bytes:number --format:word --output-duplicates --endian:word ${help}`,
    operands: "path*",
  },
  hexdump: {
    flags:
      "-b -c -C -d -e:text -o -x -v -n:number -s:number --canonical --one-byte-octal --one-byte-char --length:number --skip:number --no-squeezing",
    operands: "path*",
  },
  xxd: {
    letters: "whole",
    flags: "-a -b -C -e -E -i -p -r -ps -u -d -c:number -g:number -l:number -s:number",
    operands: "path?",
  },
  strings: {
    responseFiles: true,
    flags: "-a -f -o -n:number -t:word -e:word --all --print-file-name --bytes:number --radix:word --encoding:word",
    operands: "path*",
    digits: true,
  },
  iconv: { flags: "-f:word -t:word -c -s -l --from-code:word --to-code:word --list --silent", operands: "path*" },
  zipinfo: { flags: "-1 -2 -s -m -l -v -h -t", operands: "path text*" },
  zcat: { flags: "-f --force", operands: "path*" },
  gunzip: { flags: "-c -k -q -f --stdout --to-stdout --keep --quiet", operands: "path*", unless: toOutput },
  gzip: {
    flags: "-c -d -k -l -q -t -v --stdout --to-stdout --decompress --uncompress --keep --list --quiet --test --verbose",
    operands: "path+",
    unless: toOutput,
  },
  jq: { judge: judgeJq },
  yq: { judge: judgeYq },
  sed: { judge: judgeSed },
  awk: { judge: judgeAwk },
  gawk: { judge: judgeAwk },
  mawk: { judge: judgeAwk },
  nawk: { judge: judgeAwk },
}))

const jq: Shape = {
  flags:
    "-r -c -n -s -S -e -a -j -M -C -R --raw-output --raw-output0 --compact-output --null-input --slurp --sort-keys --exit-status --ascii-output --join-output --monochrome-output --color-output --raw-input --tab --indent:number --seq --stream --unbuffered -V --version -h --help",
  operands: "text? path*",
  unless: loadsCode,
}

/** `--arg name value` gives jq a string, and takes two words anywhere except after `--`. */
function judgeJq(args: readonly Argument[]): Finding {
  const rest: Argument[] = []
  let isEnded = false
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (!arg) break
    isEnded ||= arg.text === "--"
    if (isEnded || arg.kind !== "exact" || (arg.text !== "--arg" && arg.text !== "--argjson")) {
      rest.push(arg)
      continue
    }
    const [name, value] = [args[i + 1], args[i + 2]]
    if (name?.kind !== "exact" || !/^\w+$/.test(name.text) || !value || value.many || value.kind === "unknown")
      return refused(`the values of ${arg.text} are not plain`)
    i += 2
  }
  const fitted = fit(rest, jq)
  return fitted.fits ? reading(...fitted.reads) : refused(fitted.why)
}

/** Otherwise the file itself is replaced. */
function toOutput({ flags }: Sorted): string | undefined {
  return ["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"].some((flag) => flags.has(flag))
    ? undefined
    : "it replaces the file"
}

/** With -e the operands are lines, not files, and no flag may hide among them. */
function withoutEcho({ flags, operands }: Sorted): string | undefined {
  return !flags.has("-i") &&
    !flags.has("--input-range") &&
    operands.length > 1 &&
    !flags.has("-e") &&
    !flags.has("--echo")
    ? "it has more operands than are on the list"
    : undefined
}

/** A filter may load further code or files from anywhere. */
function loadsCode({ operands }: Sorted): string | undefined {
  const [filter] = operands
  if (!filter) return undefined
  return filter.kind === "exact" ? filterObjection(filter.text) : "its filter is not known"
}

const yq: Shape = {
  flags:
    "-r -P -o:word -p:word -C -M -N -e -n -V --raw-output --prettyPrint --output-format:word --input-format:word --no-colors --colors --no-doc --exit-status --null-input --version",
  // What looks like its filter is a file when one lies there.
  operands: "path*",
}

/** Its first word may say how files are processed; the next is the filter. */
function judgeYq(args: readonly Argument[]): Finding {
  const fitted = fit(args, yq)
  if (!fitted.fits) return refused(fitted.why)
  const { operands } = fitted.given
  const [first] = operands
  const isVerb = first?.kind === "exact" && /^(?:e|ea|eval|eval-all)$/.test(first.text)
  const filter = isVerb ? operands[1] : first
  if (filter && filter.kind !== "exact") return refused("its filter is not known")
  const why = filter && !isFileName(filter.text) ? filterObjection(filter.text) : undefined
  return why === undefined ? reading(...fitted.reads.filter((read) => !(isVerb && read === first))) : refused(why)
}

/** A name with a file extension: anything in the language that looks like it is a compile error. */
const isFileName = (name: string): boolean => /^[\w./-]+\.(?:ya?ml|json|xml|toml|csv|tsv|properties)$/.test(name)
