/** Viewers, counters and inspectors of files: their content is shown, and nothing is started for it. */

import { lazily } from "#lib/lazily.ts"
import type { KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import { absolute } from "#ground/workspace/shell/paths.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"

const help = "--help --version"

/** No --pager, no --map-syntax and no --config-file; without a terminal nothing is paged. */
const bat: Shape = {
  flags:
    "-A -p -pp -n -P -f -r:word -l:word -H:word -s -u --show-all --plain --number --line-range:word --language:word --highlight-line:word --style:word --theme:text --color:word --decorations:word --paging:word --no-pager --wrap:word --tabs:number --squeeze-blank --force-colorization --list-languages --list-themes --diff --diff-context:number --version -V --help -h",
  operands: "path*",
  // Otherwise a pager may be started even where there is no terminal.
  unless: ({ values }) =>
    values.some(({ flag, value }) => flag === "--paging" && value.text !== "never")
      ? "it could start a pager"
      : undefined,
}

const unpacked: Shape = { flags: "-q -v --quiet --verbose", operands: "path*" }

/** The scripts around grep split their arguments again, and take a dash for a flag: only plain names are allowed. */
const packedGrep: Shape = {
  flags: "-E -F -P -i -v -w -x -c -l -L -n -o -h -H -q -s -e:text -m:number -A:number -B:number -C:number",
  operands: "text path+",
  unless: ({ operands, flags }) => {
    if (flags.has("-e")) return "its pattern could be a file"
    return operands.slice(1).every(({ kind, text }) => kind === "exact" && /^[\w./][\w./-]*$/.test(text))
      ? undefined
      : "one of its files is not plainly named"
  },
}

const counting: Shape = { operands: "path*", here: true }

export const viewers: () => Table = lazily(() => ({ ...texts(), ...packedAndBinary() }))

const texts = (): Table => ({
  less: {
    // Behind a value it reads further letters. No -k and no -o; `+` begins a command. Without a terminal it prints.
    letters: "apart",
    flags:
      "-e -E -F -g -G -i -I -m -M -n -N -q -Q -r -R -s -S -u -U -X -x:number -p:text --LINE-NUMBERS --chop-long-lines --quit-if-one-screen --RAW-CONTROL-CHARS --no-init --help -V --version",
    operands: "path*",
  },
  more: { flags: "-d -e -f -l -p -c -s -u -n:number -V", operands: "path*" },
  man: {
    // No -P, -H and -l; a name without a slash is a page and not a file. Nothing of the project is on its way.
    flags: "-k -f -w -a --apropos --whatis --where --path",
    operands: "word+",
    unless: ({ operands }) =>
      operands.every(({ text }) => /^[\w.+-]+$/.test(text)) ? undefined : "it could read a file",
  },
  bat,
  batcat: bat,
  tokei: {
    ...counting,
    flags:
      "-f -e:text -s:word -t:text -o:word -C -n:word --files --exclude:text --sort:word --type:text --compact --hidden --no-ignore --version -V",
  },
  scc: {
    // No -o and no --output.
    ...counting,
    flags:
      "-a -c -d -f:word -i:text -l -M:text -s:word -w -z -x:text --by-file --ci --exclude-dir:text --format:word --include-ext:text --no-cocomo --no-complexity --no-duplicates --not-match:text --sort:word --wide --version",
  },
  cloc: {
    // A name that is no file may be a commit, for which it would start git; an archive would be unpacked.
    flags:
      "--by-file --by-file-by-lang --csv --exclude-dir:text --exclude-ext:text --exclude-lang:text --hide-rate --include-ext:text --include-lang:text --json --md --not-match-d:text --not-match-f:text --quiet --skip-uniqueness --sum-one --xml --yaml --version --help",
    operands: "path+",
    unless: ({ operands }) =>
      operands.every(
        ({ kind, text }) => kind === "exact" && (/^[./\w-]*\/[./\w-]*$|^\.$/.test(text) || folders.has(text)),
      )
        ? undefined
        : "it could be a commit or an archive",
  },
  xmllint: {
    // No --output, --shell, --noent, --xinclude, --c14n and nothing that loads another document.
    flags:
      "--noout --format --xpath:text --html --nonet --recover --nowarning --noblanks --encode:word --pretty:number --version",
    operands: "path*",
    unless: ({ operands }) => (operands.some(({ text }) => text.includes(":")) ? "it could be an address" : undefined),
  },
  shellcheck: {
    // No -x, which follows what a script names.
    flags:
      "-f:word -s:word -S:word -e:text -i:text -C?word -a -o:text --format:word --shell:word --severity:word --exclude:text --include:text --color?word -V --version --help",
    operands: "path+",
    unlessBeside: [".shellcheckrc", "shellcheckrc"],
  },
  tsort: { flags: help, operands: "path?" },
  numfmt: {
    flags: `-d:text -z --delimiter:text --field:text --format:text --from:word --from-unit:word --grouping --header?number --invalid:word --padding:number --round:word --suffix:text --to:word --to-unit:word --zero-terminated ${help}`,
    operands: "number*",
  },
  factor: { flags: `-h --exponents ${help}`, operands: "number*" },
  // It only calculates and compares strings.
  expr: { judge: () => ({ ok: true, reads: [], writes: [] }) },
  // In this one nothing starts a program, other than in dc.
  bc: { flags: "-l -q -s -w --mathlib --quiet --standard --version --help", operands: "" },
  pr: {
    flags: `-a -b -d -f -h:text -J -l:number -m -n?text -o:number -p -r -s?text -t -T -v -w:number -W:number --columns:number --double-space --header:text --length:number --merge --number-lines?text --omit-header --width:number ${help}`,
    operands: "path*",
    digits: true,
  },
  sdiff: {
    // No -o, which writes, and no --diff-program.
    flags: `-s -l -i -E -Z -b -W -B -t -d -H -a -w:number --suppress-common-lines --left-column --ignore-case --ignore-space-change --ignore-all-space --ignore-blank-lines --width:number --expand-tabs --text --minimal ${help}`,
    operands: "path path",
  },
  diff3: {
    flags: `-e -E -A -m -T -x -X -3 -a -i -L:text --merge --show-all --text --label:text --easy-only --overlap-only ${help}`,
    operands: "path path path",
  },
})

const packedAndBinary = (): Table => ({
  zgrep: packedGrep,
  bzgrep: packedGrep,
  xzgrep: packedGrep,
  bzcat: unpacked,
  xzcat: unpacked,
  zstdcat: unpacked,
  lzcat: unpacked,
  "7z": { subcommands: { l: { flags: "-slt", operands: "path" }, t: { operands: "path" } } },
  pdfinfo: { letters: "whole", flags: "-f:number -l:number -box -meta -rawdates -v", operands: "path" },
  pdftotext: {
    letters: "whole",
    flags: "-f:number -l:number -layout -raw -nopgbrk -enc:word -q -v",
    operands: "path text",
    unless: ({ operands }) => (operands[1]?.text === "-" ? undefined : "it would write a file"),
  },
  nm: {
    responseFiles: true,
    flags:
      "-a -A -B -C -D -g -l -n -o -p -P -r -S -u -v -f:word -t:word --defined-only --demangle?word --dynamic --extern-only --line-numbers --no-sort --numeric-sort --print-file-name --print-size --radix:word --reverse-sort --size-sort --undefined-only --version -V --help",
    operands: "path*",
  },
  objdump: {
    responseFiles: true,
    // No --debug-dump and no -W, which may fetch what belongs to it.
    flags:
      "-a -d -D -f -h -p -r -R -s -t -T -x -C -l -w -z -j:word -M:word -m:word -b:word --all-headers --archive-headers --demangle?word --disassemble?word --disassemble-all --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers --no-show-raw-insn --private-headers --reloc --section:word --section-headers --show-raw-insn --start-address:word --stop-address:word --syms --version -v --help",
    operands: "path+",
  },
  readelf: {
    responseFiles: true,
    flags:
      "-a -A -c -d -D -e -g -h -I -l -n -r -s -S -t -u -V -W -x:word -p:word -R:word --all --dynamic --dyn-syms --file-header --headers --notes --program-headers --relocs --sections --section-headers --segments --string-dump:word --symbols --syms --hex-dump:word --version-info --wide --version -v --help",
    operands: "path+",
  },
  size: {
    responseFiles: true,
    flags: "-A -B -d -o -x -t -G --common --format:word --radix:number --totals --version -V --help",
    operands: "path*",
  },
  ar: {
    responseFiles: true,
    operands: "word path text*",
    unless: ({ operands }) => (/^-?tv?O?$/.test(operands[0]?.text ?? "") ? undefined : "it could change the archive"),
  },
  addr2line: {
    responseFiles: true,
    flags:
      "-a -C -e:path -f -i -p -s --addresses --basenames --demangle?word --exe:path --functions --inlines --pretty-print",
    operands: "word*",
  },
  "c++filt": {
    responseFiles: true,
    flags: "-n -p -t -i -r --strip-underscore --no-params --types --no-verbose --version",
    operands: "text*",
  },
  otool: { responseFiles: true, flags: "-a -f -h -l -L -D -t -v -V -o -S -T -I", operands: "path+" },
  lipo: {
    responseFiles: true,
    flags: "-info -archs -detailed_info",
    operands: "path+",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "what it does is not clear"),
  },
  ldd: {
    // It runs the loader that a file names, so only files of the system may be given.
    flags: "-v -d -r --verbose --version",
    operands: "text*",
    unless: ({ operands }) =>
      operands.every(
        ({ kind, text }) =>
          kind === "exact" &&
          /^\/(?:usr\/)?(?:s?bin|lib(?:32|64|exec)?)\/[\w.+/-]+$/.test(text) &&
          !text.includes(".."),
      )
        ? undefined
        : "it would start the loader that the file names",
  },
  "clang-format": {
    responseFiles: true,
    // No -i, which writes.
    flags: "-n --dry-run --Werror --style:word --version --help",
    operands: "path*",
    unless: ({ flags, operands }) =>
      operands.length > 0 || flags.has("--version") || flags.has("--help") ? undefined : "it waits for input",
  },
  sqlite3: {
    letters: "whole",
    // No -init and no -cmd, which run further commands.
    flags: "-header -noheader -column -csv -json -line -list -box -table -markdown -readonly -bail -version --version",
    operands: "path? text?",
    unless: onlyAsksDatabase,
    unlessAround: ({ operands: [file] }, { folders, place }) =>
      file && !(absolute(file.text, folders) ?? []).every((path) => place.exists?.(path))
        ? "it would make the database"
        : undefined,
  },
  openssl: certificates(),
  "ssh-keygen": {
    flags: "-l -f:path -E:word -v",
    unless: ({ flags }) => (flags.has("-l") && flags.has("-f") ? undefined : "it could write a key"),
  },
})

/** Folders that no one calls a commit. */
const folders: ReadonlySet<string> = new Set(
  "src test tests lib app apps packages docs scripts cmd internal pkg server client web api core include examples spec tools bin".split(
    " ",
  ),
)

/** No -engine, -provider and -config, which load code, and no -out. */
function certificates(): KnownProgram {
  const shown =
    "-in:path -inform:word -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -pubkey -email -ocsp_uri -purpose -modulus -nameopt:word -checkend:number"
  return {
    letters: "whole",
    alone: { flags: "--version -v" },
    subcommands: {
      version: { flags: "-a -v -d" },
      x509: { flags: shown, unless: plainInput },
      req: { flags: "-in:path -inform:word -noout -text -subject -pubkey -verify -modulus", unless: needs("-in") },
      crl: { flags: "-in:path -inform:word -noout -text -issuer -lastupdate -nextupdate", unless: needs("-in") },
      dgst: { flags: "-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -hex -r -c", operands: "path*" },
      rand: { flags: "-hex -base64", operands: "number" },
      ciphers: { flags: "-v -V -s -tls1_2 -tls1_3", operands: "word?" },
    },
  }
}

/** What shows how a database is made. */
const databaseCommand = /^\.(?:schema|tables|indexes|indices|fullschema)(?: [\w%]+)?$/
/** One question. Functions that read and write files or load code count only where they are written out. */
const databaseQuestion = /^\s*select\b[^;]*;?\s*$/i
const otherFiles =
  /\b(?:load_extension|readfile|writefile|edit|attach|fsdir|lsmode|zipfile|sqlar\w*|fts3_tokenizer|shell\w*|csv|pragma\w*)\b/i

/** It opens a database for reading alone, since nothing can be written behind the wall. */
function onlyAsksDatabase({ flags, operands }: Sorted): string | undefined {
  const [file, command] = operands
  if (!file) return /version/.test([...flags].join(" ")) ? undefined : "it could run what it is fed"
  if (file.kind !== "exact" || /^(?:file:|:|-$)/.test(file.text) || command?.kind !== "exact")
    return "what it would run is not known"
  const isPlain =
    databaseCommand.test(command.text) || (databaseQuestion.test(command.text) && !otherFiles.test(command.text))
  return isPlain ? undefined : "it could change the database"
}

/** A name with a colon may be a location that a module has to be loaded for. */
function plainInput({ values }: Sorted): string | undefined {
  return values.some(({ flag, value }) => flag === "-in" && value.text.includes(":"))
    ? "its input is no plain file"
    : undefined
}

/** Otherwise they would create something new. */
function needs(flag: string): NonNullable<Shape["unless"]> {
  return (words) => (words.flags.has(flag) ? plainInput(words) : `${flag} is missing`)
}
