/** Programs that run text: one of their own words, or their input. */

import { posix } from "node:path"

export type Language = "shell" | "python" | "node" | "perl" | "ruby" | "php" | "sql" | "other"

interface Interpreter {
  readonly language: Language
  /** Flags whose value, or the rest of the word, is a program. */
  readonly code: RegExp
  /** Flags that make it run something other than its input. */
  readonly instead?: RegExp
}

const shell: Interpreter = { language: "shell", code: /^[-+][A-Za-z]*c[A-Za-z]*$|^--(?:init-)?command$/ }
const node: Interpreter = { language: "node", code: /^(?:-[A-Za-z]*[ep]|--eval|--print)(?:=|$)/ }
const other: Interpreter = { language: "other", code: /^(?:-[A-Za-z]*[eEc]|--(?:eval|execute|expr))(?:=|$)/ }

const interpreters: { readonly [name: string]: Interpreter } = {
  ash: shell,
  bash: shell,
  bun: { ...node, instead: /^(?:--version|-v|--help|-h)$/ },
  csh: shell,
  dash: shell,
  deno: { ...node, code: /^(?:eval|-[A-Za-z]*[ep]|--eval|--print)(?:=|$)/ },
  expect: other,
  fish: shell,
  ghci: other,
  groovy: other,
  guile: other,
  iex: other,
  irb: { language: "ruby", code: /^-e$/ },
  jshell: other,
  julia: other,
  ksh: shell,
  lua: other,
  luajit: other,
  node,
  nodejs: node,
  octave: other,
  perl: { language: "perl", code: /^-[A-Za-z0-9]*[eE]/ },
  php: { language: "php", code: /^(?:-[A-Za-z]*[rBRE]|--(?:run|process-\w+))$/ },
  pwsh: { language: "shell", code: /^-(?:c|command|e|encodedcommand)$/i },
  python: { language: "python", code: /^-[A-Za-z]*c/, instead: /^-[A-Za-z]*m|^-V$|^--version$/ },
  pypy: { language: "python", code: /^-[A-Za-z]*c/, instead: /^-[A-Za-z]*m/ },
  rbash: shell,
  R: { language: "other", code: /^-e$/ },
  Rscript: { language: "other", code: /^-e$/ },
  ruby: { language: "ruby", code: /^-[A-Za-z]*e/ },
  scala: other,
  sh: shell,
  swift: other,
  tclsh: other,
  tcsh: shell,
  zsh: shell,
}

const sql: Interpreter = {
  language: "sql",
  code: /^(?:-[A-Za-z]*[ceQq]|--(?:command|execute|query|eval))(?:=|$)/,
  instead: /^(?:-[A-Za-z]*f|--file)(?:=|$)|^(?:-l|--list|--version|-V|--help)$/,
}

/** Database clients run their input too, and some of them let it start programs. */
const clients: ReadonlySet<string> = new Set([
  "clickhouse-client",
  "cockroach",
  "cqlsh",
  "duckdb",
  "mariadb",
  "mongo",
  "mongosh",
  "mysql",
  "psql",
  "sqlcmd",
  "sqlite3",
  "sqlplus",
])

/** They take their commands from their input, whatever else they are given. */
const fed: ReadonlySet<string> = new Set([
  "at",
  "batch",
  "bc",
  "crontab",
  "dc",
  "ed",
  "ex",
  "ftp",
  "gdb",
  "lldb",
  "sftp",
])

/** Undefined when it runs no text. */
function interpreterOf(word: string): Interpreter | undefined {
  const name = posix.basename(word)
  if (clients.has(name)) return sql
  // python3.12, php8 and the like are the same programs.
  const plain = Object.hasOwn(interpreters, name) ? name : name.replace(/[\d.]+$/, "")
  return Object.hasOwn(interpreters, plain) ? interpreters[plain] : undefined
}

/** Programs other than interpreters that run their input. */
function fedRun(words: readonly string[]): InterpreterRun | undefined {
  const name = posix.basename(words[0] ?? "")
  const language: Language = /^(?:at|batch|crontab)$/.test(name) ? "shell" : "other"
  if (fed.has(name)) {
    const isElsewhere = words.some((word) => /^-[elrqcdf]/.test(word))
    return { language, texts: [], readsInput: !isElsewhere }
  }
  // `make -f -`, `awk -f -`, `kubectl apply -f -`: the file with the instructions is the input.
  const readsFile = words.some(
    (word, i) =>
      /^(?:-f-|--(?:file|makefile)=-)$/.test(word) ||
      (/^(?:-f|--file|--makefile)$/.test(word) && input.test(words[i + 1] ?? "")),
  )
  return readsFile ? { language: "other", texts: [], readsInput: true } : undefined
}

/** What a program will run, according to its words. */
export interface InterpreterRun {
  readonly language: Language
  /** Which words are text; `from` is where the text starts in a word. */
  readonly texts: readonly { readonly at: number; readonly from: number }[]
  /** The word that names a file to run. */
  readonly file?: number
  readonly readsInput: boolean
}

/** Also what another command of the line writes to it. */
const input = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$|^<\(/

/** Undefined when the first word is not an interpreter. */
export function runOf(words: readonly string[]): InterpreterRun | undefined {
  const [name = "", ...rest] = words
  const found = interpreterOf(name)
  if (!found) return fedRun(words)
  const { language, code, instead } = found
  const texts = rest.flatMap((word, i) => (code.test(word) ? [textAt(word, i + 1, code)] : []))
  if (texts.length > 0 || rest.some((word) => instead?.test(word))) return { language, texts, readsInput: false }
  // A client names a database, not a file to run; some take what to do behind it.
  if (language === "sql") {
    const operands = rest.filter((word) => !word.startsWith("-"))
    return { language, texts, readsInput: !(operands.length > 1 && /^(?:sqlite3|duckdb)$/.test(posix.basename(name))) }
  }
  const readsAll = language === "shell" && rest.some((word) => /^-[A-Za-z]*s[A-Za-z]*$/.test(word))
  const isRunner = /^(?:bun|deno)$/.test(posix.basename(name))
  const file = rest.findIndex((word) => input.test(word) || !(/^[-+]/.test(word) || (isRunner && word === "run")))
  const operand = rest[file]
  if (readsAll || operand === undefined) return { language, texts, readsInput: !isAsked(rest) }
  return { language, texts, file: file + 1, readsInput: input.test(operand) }
}

const isAsked = (rest: readonly string[]): boolean =>
  rest.length > 0 && rest.every((word) => /^(?:-v|-V|-h|--version|--help|--test)$/.test(word))

function textAt(word: string, at: number, code: RegExp): InterpreterRun["texts"][number] {
  const flag = code.exec(word)?.[0] ?? word
  const attached = word.slice(flag.length)
  return attached === "" ? { at: at + 1, from: 0 } : { at, from: flag.length }
}
