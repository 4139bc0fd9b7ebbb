/** Files, folders and the machine: what shows them and changes nothing. */

import { type Argument, mayBeFlag } from "#ground/workspace/shell/argument.ts"
import { isPrintable } from "#ground/workspace/shell/names.ts"
import { type Finding, reading, refused, type Table } from "#ground/workspace/shell/programs/program.ts"
import type { SortedWords, Sorted } from "#ground/workspace/shell/sort-out.ts"

const help = "--help --version"

const sums = {
  flags: `-b -t -z --binary --text --tag --zero -l:number --length:number ${help}`,
  operands: "path*",
  // Not for names that another command prints: one could make a list of sums to check of the next.
  anything: "patterns",
} as const

export const coreutils: Table = {
  ":": { judge: () => reading() },
  true: { judge: () => reading() },
  false: { judge: () => reading() },
  exit: { operands: "number?" },
  pwd: { flags: "-L -P" },
  cat: {
    flags: `-A -b -e -E -n -s -t -T -u -v --show-all --number --number-nonblank --show-ends --show-nonprinting --show-tabs --squeeze-blank ${help}`,
    operands: "path*",
    anything: true,
    passes: ({ flags }) => flags.size === 0,
  },
  ls: {
    flags: `-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T -u -U -v -x -X -Z -1 -I:text -w:number --all --almost-all --author --block-size:word --color?word --directory --classify?word --file-type --format:word --full-time --group-directories-first --human-readable --si --hide:text --ignore:text --indicator-style:word --inode --kibibytes --literal --numeric-uid-gid --no-group --hyperlink?word --quote-name --quoting-style:word --recursive --reverse --size --sort:word --time:word --time-style:text --width:number --zero --dereference ${help}`,
    operands: "path*",
    anything: true,
    here: true,
    follows: ({ flags }) =>
      (flags.has("-R") || flags.has("--recursive")) && (flags.has("-L") || flags.has("--dereference")),
    // Only names, in any order.
    keepsLinks: ({ flags }) => flags.has("-d") || flags.has("--directory"),
    lists: ({ flags }) =>
      [...flags].every((flag) =>
        /^-[1aAcdIrStuUvX]$|^--(?:all|almost-all|directory|group-directories-first|hide|ignore|reverse|sort|time)$/.test(
          flag,
        ),
      )
        ? {
            kind: "entries",
            hidden: flags.has("-a") || flags.has("--all"),
            itself: flags.has("-d") || flags.has("--directory"),
            nul: false,
          }
        : undefined,
  },
  head: {
    flags: `-n:number -c:number -q -v -z --lines:number --bytes:number --quiet --silent --verbose --zero-terminated ${help}`,
    operands: "path*",
    anything: true,
    digits: true,
    passes: only("-n", "--lines"),
  },
  tail: {
    flags: `-n:number -c:number -q -v -z -r --lines:number --bytes:number --quiet --silent --verbose --zero-terminated ${help}`,
    operands: "path*",
    anything: true,
    digits: true,
    passes: only("-n", "--lines"),
  },
  wc: {
    flags: `-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total:word ${help}`,
    operands: "path*",
    anything: "patterns",
    // With a name or two counts it prints more.
    prints: ({ flags, operands }) =>
      operands.length === 0 && flags.size === 1 && !flags.has("--help") && !flags.has("--version")
        ? "number"
        : undefined,
  },
  stat: {
    flags: `-L -f -c:text -t -x -s -l -n --dereference --file-system --format:text --printf:text --terse --cached:word ${help}`,
    operands: "path+",
    anything: true,
  },
  file: {
    flags: `-b -i -I -k -L -h -r -0 -N --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --raw --version`,
    operands: "path+",
  },
  tree: {
    letters: "apart",
    flags: `-a -d -f -i -s -h -p -u -g -D -F -v -t -c -U -r -x -n -C -A -S -J -X -q -N -Q -L:number -P:text -I:text --dirsfirst --filesfirst --noreport --nolinks --prune --gitignore --matchdirs --ignore-case --du --si --inodes --device --sort?word --filelimit:number --charset:word --version --help`,
    operands: "path*",
    here: true,
  },
  du: {
    flags: `-0 -a -b -c -D -h -H -k -l -m -P -s -S -x -B:word -d:number -t:number --all --apparent-size --block-size:word --bytes --count-links --human-readable --inodes --max-depth:number --null --one-file-system --separate-dirs --si --summarize --threshold:number --time?word --total --exclude:text ${help}`,
    operands: "path*",
    anything: "patterns",
    here: true,
    // A slash behind a link leads into it.
    keepsLinks: ({ flags, operands }) =>
      !["-D", "-H"].some((flag) => flags.has(flag)) && operands.every(({ text }) => !text.endsWith("/")),
  },
  df: {
    asks: "machine",
    flags: `-a -B:word -h -H -i -k -l -m -P -t:word -T -x:word --all --block-size:word --human-readable --si --inodes --local --portability --print-type --total --type:word --exclude-type:word ${help}`,
    // It reports on the disk, not on its content.
    operands: "text*",
    anything: true,
  },
  basename: { flags: `-a -s:text -z --multiple --suffix:text --zero ${help}`, operands: "text+", anything: true },
  dirname: { flags: `-z --zero ${help}`, operands: "text+", anything: true },
  realpath: {
    flags: `-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --relative-to:text --relative-base:text ${help}`,
    operands: "text+",
    anything: true,
  },
  readlink: {
    flags: `-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${help}`,
    operands: "text+",
    anything: true,
  },
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  b2sum: sums,
  cksum: { flags: `-a:word --algorithm:word --untagged --tag --raw ${help}`, operands: "path*", anything: "patterns" },
  sum: { flags: `-r -s --sysv ${help}`, operands: "path*", anything: true },
  md5: { flags: "-q -r", operands: "path*" },
  shasum: { flags: "-a:number -b -t", operands: "path*" },
  // What it does not know as a flag it prints.
  echo: { judge: () => reading() },
  date: {
    flags: `-u -R -I?word -r:path --reference:path -d:text --date:text --utc --universal --iso-8601?word --rfc-3339:word --rfc-email ${help}`,
    operands: "text?",
    unless: ({ operands }) =>
      operands.every(({ kind, text }) => kind === "exact" && text.startsWith("+"))
        ? undefined
        : "it could set the clock",
    prints: ({ operands }) =>
      /^\+%[YmdHMSsFTyj](?:%[YmdHMSsFTyj]|[-_.:])*$/.test(operands[0]?.text ?? "") ? "token" : undefined,
  },
  cal: { flags: "-1 -3 -m -s -y -j", operands: "number*" },
  sleep: { operands: "number", unless: isShort },
  seq: {
    flags: `-f:text -s:text -w --format:text --separator:text --equal-width ${help}`,
    operands: "number+",
    digits: true,
  },
  uname: {
    flags: `-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --operating-system ${help}`,
  },
  arch: { flags: help },
  nproc: { flags: `--all --ignore:number ${help}`, prints: ({ flags }) => (flags.size === 0 ? "number" : undefined) },
  whoami: { flags: help },
  id: { flags: `-g -G -n -r -u -z -Z --group --groups --name --real --user ${help}`, operands: "word?" },
  groups: { flags: help, operands: "word*" },
  logname: { flags: help },
  tty: { flags: `-s ${help}` },
  uptime: { flags: "-p -s --pretty --since --help --version", asks: "machine" },
  free: {
    flags: "-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --total --wide --help --version",
  },
  ps: {
    // Without the letter e, which shows the environment of every process.
    flags:
      "-A -a -e -f -F -l -j -x -w -ww -H -u:word -U:word -p:word -o:text -C:word -g:word -t:word --pid:word --ppid:word --user:word --sort:text --format:text --no-headers --no-heading --forest --headers --version",
    operands: "word?",
    flagsAnywhere: true,
    unless: psObjection,
    asks: "machine",
  },
  pgrep: {
    flags:
      "-a -f -i -l -n -o -x -c -u:word -U:word -P:word -g:word -t:word --list-full --list-name --full --ignore-case --exact --newest --oldest --count",
    operands: "text?",
    asks: "machine",
  },
  pidof: { flags: "-s -c -n -q -w -x -o:word", operands: "word+", asks: "machine" },
  lscpu: { flags: "-a -b -c -e?text -J -p?text -x --all --json --extended?text --parse?text" },
  lsblk: {
    asks: "machine",
    flags: "-a -b -d -f -i -J -l -m -n -o:text -p -r -t --all --bytes --fs --json --list --paths",
  },
  printenv: {
    operands: "word+",
    unless: ({ operands }) =>
      operands.every(({ text }) => isPrintable(text) || text === "HOME" || text === "PWD")
        ? undefined
        : "it could show secrets",
  },
  help: { flags: "-d -m -s", operands: "word*" },
  command: {
    flags: "-v -V",
    operands: "word+",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "it runs another command"),
  },
  which: { flags: "-a -s --all", operands: "word+" },
  whereis: { flags: "-b -m -s", operands: "word+" },
  type: { flags: "-a -t -p -P -f", operands: "word+" },
  printf: { judge: judgePrintf },
  locale: { flags: "-a -m -k -c", operands: "word*" },
  getconf: { flags: "-a", operands: "word*" },
  // With a number they would set what they show.
  ulimit: { flags: "-a -c -d -f -H -l -m -n -s -S -t -u -v" },
  umask: { flags: "-p -S" },
  vmstat: {
    flags: "-a -d -s -S:word -t -w --active --disk --stats --timestamp --wide --version",
    operands: "number? number?",
    unless: ({ operands }) => (operands.length === 1 ? "it does not end" : undefined),
  },
  // In a shell that nobody types into it is empty, and with a flag it would read or write a file.
  history: { operands: "number?" },
  jobs: { flags: "-l -n -p -r -s" },
  times: {},
  wait: {},
}

/**
 * Words that ps cannot parse it reads again, as letters without a dash: among those, `e` shows the environment of every
 * process. So where an `e` could be read that way, nothing may fail the first time.
 */
function psObjection({ flags, values, operands }: Sorted): string | undefined {
  const of = (...names: readonly string[]): readonly string[] =>
    values.flatMap(({ flag, value }) => (names.includes(flag) ? [value.text] : []))
  const isPlain =
    operands.every(({ text }) => /^[auxwfjl]+$/.test(text)) &&
    values.every(({ kind, value }) => kind !== "text" || (value.kind === "exact" && !/environ/i.test(value.text)))
  if (!isPlain) return "it could show secrets"
  // Those of the other flags are values then as well.
  const read = of("-u", "-C", "-g")
  const isE = flags.has("-e") || read.some((text) => text.includes("e"))
  const isFormat = ["-f", "-F", "-l", "-j"].some((flag) => flags.has(flag))
  const isCertain =
    operands.length === 0 &&
    !flags.has("-x") &&
    !flags.has("-t") &&
    !(flags.has("-o") && isFormat) &&
    of("-u", "-U", "-g", "-p", "--pid", "--ppid", "--user").every((text) => /^\d+(?:,\d+)*$/.test(text))
  const fails = read.some((text) => !/^[acefghjlmnrsuvwxACGHLMSTXZ]*(?:[oOptkNU\d].*)?$/.test(text))
  return !isE || isCertain || fails ? undefined : "it could show secrets"
}

/** What a format may contain. No `%n`, which writes a variable: the next word could be PATH. */
const printfFormat =
  /^(?:[^%]|%%|%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[hjlLtz]*[diouxXeEfFgGaAcsbqQ]|%\([^()]*\)T)*$/s

/** `-v` would write a variable, and its name may contain a subscript that runs a command. */
function judgePrintf(args: readonly Argument[]): Finding {
  const [first, second] = args
  const isEnded = first?.kind === "exact" && first.text === "--"
  const format = isEnded ? second : first
  if (!format || (!isEnded && mayBeFlag(format))) return refused("its format could be a flag")
  return format.kind === "exact" && printfFormat.test(format.text)
    ? reading()
    : refused("its format could write a variable")
}

/** Waiting for more than five minutes is asked about. */
function isShort({ operands }: Sorted): string | undefined {
  const [, amount = "", unit = "s"] = /^(\d{1,6}(?:\.\d{1,6})?)([sm]?)$/.exec(operands[0]?.text ?? "") ?? []
  return amount !== "" && Number(amount) * (unit === "m" ? 60 : 1) <= 300 ? undefined : "it sleeps long"
}

function only(...allowed: readonly string[]): (words: SortedWords) => boolean {
  return ({ flags }) => [...flags].every((flag) => allowed.includes(flag))
}
