/** A simple command: its variables, words and redirections become one segment, or more when it starts others. */

import type { Assignment, Command, Redirection, Word } from "unbash"
import type { Setting } from "./analysis.ts"
import { type Argument, exactly, exactTexts, unknown } from "./argument.ts"
import { readAssignment, settingOf, walkAssignments } from "./assignments.ts"
import { changeFolder, isPlainSet, leaves } from "./builtins.ts"
import { evaluatesSubscript } from "./condition.ts"
import { readFind } from "./programs/find.ts"
import { harmlessStep, type Judgement, judge, other } from "./judge.ts"
import { functionCall } from "./functions.ts"
import { changesTheShell, evaluators, isOwnName } from "./names.ts"
import type { Decoder } from "./pieces.ts"
import { type Listing, wordsFrom } from "./listing.ts"
import { listingOf } from "./made-names.ts"
import { printedText, printsBranch } from "./printed-text.ts"
import type { Printed, Reading } from "./reading.ts"
import { afterRead } from "./read-builtin.ts"
import { areQuiet, keepsOutput, readRedirects } from "./redirects.ts"
import { commandSegment } from "./segment.ts"
import { always, type Flow, type State, withVariable } from "./state.ts"
import { readWord } from "./word.ts"
import { unwrap, type Unwrapped } from "./programs/wrappers.ts"

/** What a command does to the shell, and what it prints if known. */
export interface Walked extends Printed {
  readonly flow: Flow
}

export function walkSimple(command: Command, state: State, piped: Listing | undefined, reading: Reading): Walked {
  reading.reach(command)
  // A redirection may feed it something else, or send what it prints elsewhere.
  const isQuiet = areQuiet(command.redirects, reading)
  const fed = isQuiet ? piped : undefined
  checkGaps(command, reading)
  const text = reading.source.slice(command.pos, command.end)
  // What a condition looks at is not shown.
  const isTest = command.name?.text === "[" || command.name?.text === "test"
  const decoder: Decoder = { reading, state, ...(isTest && { compares: true }) }
  const redirects = readRedirects(command.redirects, state, reading)
  const before = command.prefix.filter((part) => part.type === "Assignment")
  if (!command.name) return { flow: always(walkAssignments(before, text, state, redirects, reading)) }
  const settings = before.map((assignment) => settingOf(readAssignment(assignment, decoder)))
  const words = readArguments(command, decoder)
  // What a command prints is no name of a program, even where it is known to the letter.
  const isPrinted = command.name.parts?.some(({ type }) => type === "CommandExpansion") ?? false
  if (words[0]?.kind !== "exact" || words[0].text === "" || isPrinted || /[$]\(|`/.test(command.name.text))
    reading.doubt("the name of a program is not written out")
  const called = functionCall(command, words, state, reading)
  if (called) return { flow: called }
  const unwrapped = unwrap(words, fed)
  const all = [...settings, ...unwrapped.settings]
  // The separator that `read` splits words by applies to it alone.
  const isRead = unwrapped.inShell && unwrapped.args[0]?.text === "read"
  const assignments = isRead ? all.filter(({ name, value }) => name !== "IFS" || value === undefined) : all
  const at = placeOf(command.name, words, reading)
  const step =
    runInShell(unwrapped, command, assignments, state, reading) ?? runProgram(unwrapped, state, fed, at, reading)
  reading.add(
    commandSegment(
      {
        text,
        at,
        args: unwrapped.args,
        state,
        judgement: step.judgement,
        redirects,
        assignments,
        wrappers: unwrapped.wrappers,
        open: unwrapped.open,
      },
      reading,
    ),
  )
  const { listing } = step.judgement
  const isBranch = unwrapped.wrappers.length === 0 && printsBranch(unwrapped.args, state, reading.place)
  const prints: Printed["prints"] | undefined = step.judgement.prints ?? (isBranch ? "branch" : undefined)
  const isFresh = assignments.length === 0 && makesTemporary(unwrapped, state)
  const shown =
    (prints || isFresh) && keepsOutput(command.redirects, reading) ? { prints: prints ?? ("fresh" as const) } : {}
  if (!isQuiet) return { flow: step.flow, ...shown }
  const letters = unwrapped.wrappers.length === 0 ? printedText(unwrapped.args, state, reading.place) : undefined
  return {
    flow: step.flow,
    ...shown,
    ...(letters !== undefined && { text: letters }),
    ...(listing && { listing }),
  }
}

/** Where the name of a program is; undefined where a word before it would change what it means, or it is quoted. */
function placeOf({ pos, text }: Word, [first]: readonly Argument[], { source }: Reading): number | undefined {
  const isPlain = first?.kind === "exact" && /^[\w./+-]+$/.test(first.text)
  return isPlain && text === first.text && source.startsWith(text, pos) && !shellWords.has(text) ? pos : undefined
}

/** The shell itself runs what follows these, or runs them itself. */
const shellWords: ReadonlySet<string> = new Set("builtin command exec jobs noglob".split(" "))

/** Whether it is plain `mktemp`: whatever it prints is new, and is where temporary files are. */
function makesTemporary({ args, wrappers }: Unwrapped, { variables }: State): boolean {
  const [program, ...flags] = exactTexts(args) ?? []
  return (
    program === "mktemp" &&
    wrappers.length === 0 &&
    !variables.has("TMPDIR") &&
    flags.every((flag) => /^(?:-d|-q|-t|--directory|--quiet|[\w.-]*X{3,}[\w.-]*)$/.test(flag))
  )
}

interface JudgedStep {
  readonly judgement: Judgement
  readonly flow: Flow
}

function runProgram(
  { args, open, wrappers }: Unwrapped,
  state: State,
  fed: Listing | undefined,
  at: number | undefined,
  reading: Reading,
): JudgedStep {
  const standing = { folders: state.folders, place: reading.place, fed: open ? undefined : fed, wrappers }
  const [program, ...rest] = args
  if (program?.kind === "exact" && /^(?:\/usr\/bin\/|\/bin\/)?find$/.test(program.text))
    startedByFind(rest, state, at, reading)
  return { judgement: judge(args, standing), flow: always(state) }
}

/** Builtins that act on the shell itself; undefined for everything else. */
function runInShell(
  { args, inShell }: Unwrapped,
  command: Command,
  assignments: readonly Setting[],
  state: State,
  reading: Reading,
): JudgedStep | undefined {
  const [program, ...rest] = args
  const name = program?.text ?? ""
  if (evaluatesSubscript(args)) reading.doubt(`${name} would evaluate a subscript`)
  const filled = inShell && name === "read" && assignments.length === 0 ? afterRead(rest, state, command) : undefined
  if (filled) return { judgement: harmlessStep, flow: always(filled) }
  const isPlain =
    (name === "local" && state.call !== undefined) ||
    (isLeaving(name) && rest.length === 0) ||
    (name === "history" && rest.every(({ kind, text }) => kind === "exact" && /^\d+$/.test(text)))
  if (evaluators.has(name) && !(inShell && isPlain)) {
    reading.doubt(`${name} reads its words once more, or changes what later words mean`)
    return { judgement: other(`${name} may run anything`), flow: always({ ...state, folders: undefined }) }
  }
  if (!inShell) return undefined
  switch (name) {
    case "cd":
      // A variable before it may change where it goes.
      return {
        judgement: harmlessStep,
        flow:
          assignments.length > 0 ? always({ ...state, folders: undefined }) : changeFolder(rest, state, reading.place),
      }
    case "pushd":
    case "popd":
    case "dirs":
      return { judgement: other("it keeps a stack of folders"), flow: always({ ...state, folders: undefined }) }
    case "exit":
      return {
        judgement: judge(args, { folders: state.folders, place: reading.place, fed: undefined }),
        flow: leaves(rest, state),
      }
    case "set":
      if (isPlainSet(rest)) return { judgement: harmlessStep, flow: always(state) }
      reading.doubt("set changes how the shell reads on")
      return { judgement: other("set changes how the shell reads on"), flow: always(state) }
    case "export":
      return exported(command, state, reading)
    case "local":
      return localized(command, state, reading)
    case "break":
    case "continue":
      reading.stop(state)
      return { judgement: harmlessStep, flow: always(state) }
    default:
      return undefined
  }
}

const isLeaving = (name: string): boolean => name === "break" || name === "continue"

function localized(command: Command, state: State, reading: Reading): JudgedStep {
  let after = state
  for (const argument of command.args) {
    const { name, value } =
      argument.type === "Word"
        ? { name: argument.text, value: exactly("") }
        : readAssignment(argument, { reading, state: after })
    if (!isOwnName(name)) reading.doubt("local is given more than names of its own")
    after = withVariable(after, name, value)
    if (after.call) after = { ...after, call: { ...after.call, locals: new Set([...after.call.locals, name]) } }
  }
  return { judgement: harmlessStep, flow: always(after) }
}

function exported(command: Command, state: State, reading: Reading): JudgedStep {
  if (command.args.length === 0)
    return { judgement: other("it shows the environment, and with it secrets"), flow: always(state) }
  let after = state
  let loud: string | undefined
  for (const argument of command.args) {
    if (argument.type === "Word") {
      if (!/^[A-Za-z_]\w*$/.test(argument.text)) reading.doubt("export is given more than names")
      loud ??= argument.text
      continue
    }
    const { name, value } = readAssignment(argument, { reading, state: after })
    if (changesTheShell(name)) reading.doubt(`it sets ${name}, which the shell reads itself`)
    if (!settingOf({ name, value }).harmless) loud ??= name
    after = withVariable(after, name, value)
  }
  return {
    judgement: loud === undefined ? harmlessStep : other(`${loud} could change what programs do`),
    flow: always(after),
  }
}

/** The words of a command; an assignment among them is one only to declaring builtins. */
function readArguments({ name, args }: Command, decoder: Decoder): readonly Argument[] {
  const program = name ? readWord(name, "split", decoder) : []
  const isExport = program[0]?.text === "export" || (program[0]?.text === "local" && decoder.state.call !== undefined)
  const rest = args.flatMap((argument) => {
    if (argument.type === "Word") return readWord(argument, "split", decoder)
    if (!isExport) decoder.reading.doubt("an assignment stands among the words")
    return [unknown(argument.text)]
  })
  return [...program, ...rest]
}

/** Whatever `find -exec` starts is a command of its own, with a found path instead of the braces. */
function startedByFind(args: readonly Argument[], state: State, at: number | undefined, reading: Reading): void {
  const { roots, inner, passes, limits } = readFind(args)
  if (inner.length === 0) return
  const { folders } = state
  const { place } = reading
  // Each path is passed as it is, so that it is one word whatever its name.
  const listing = listingOf(
    { kind: "below", roots: true, passes, limits, nul: true },
    { operands: roots, folders, place },
  )
  const found: Argument = {
    text: "{}",
    kind: "dynamic",
    head: roots[0]?.head ?? "",
    many: true,
    ...wordsFrom(listing, "nul"),
  }
  for (const command of inner) {
    const words = command.map((arg) => (arg.text === "{}" ? found : arg.text.includes("{}") ? unknown(arg.text) : arg))
    const unwrapped = unwrap(words, undefined)
    const { wrappers } = unwrapped
    const standing = { folders: state.folders, place: reading.place, fed: undefined, wrappers }
    const text = command.map((arg) => arg.text).join(" ")
    const judgement = judge(unwrapped.args, standing)
    reading.add(
      commandSegment(
        {
          text,
          at,
          args: unwrapped.args,
          state,
          judgement,
          redirects: harmlessStep,
          assignments: unwrapped.settings,
          wrappers: ["find", ...wrappers],
          open: true,
        },
        reading,
      ),
    )
  }
}

function checkGaps({ pos, end, prefix, name, suffix }: Command, reading: Reading): void {
  const parts: readonly (Assignment | Redirection | Word)[] = [...prefix, ...(name ? [name] : []), ...suffix]
  let at = pos
  for (const part of parts) {
    if (part.pos < at || reading.gap(at, part.pos) !== "") reading.doubt("a command is not read whole")
    // Where bash continues a word, the parser may see the next one begin: only an operator can follow without a
    // space.
    if (part.pos === at && at !== pos && !/[<>&]/.test(reading.source[at] ?? ""))
      reading.doubt("two words touch each other")
    at = part.end
  }
  if (at !== end) reading.doubt("a command is not read whole")
}
