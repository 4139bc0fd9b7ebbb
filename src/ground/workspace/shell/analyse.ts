/** The shell analysis: one parser, a positive grammar, decisions on the words a program will really get. See decision 18. */

import { type ParsedScript, parse } from "unbash"
import type { Analysis, ShellPlace, Segment } from "./analysis.ts"
import { optional } from "#lib/optional.ts"
import { badCharacter } from "./characters.ts"
import { looksCritical } from "./critical.ts"
import { gapsIn } from "./gaps.ts"
import { type Survey, survey } from "./grammar.ts"
import { type HiddenProgram, hiddenPrograms } from "./hidden-programs.ts"
import type { Reading } from "./reading.ts"
import { salvage } from "./salvage.ts"
import type { State } from "./state.ts"
import { walkCommand, walkScript } from "./walk.ts"
import { withHidden } from "./with-hidden.ts"

const longest = 10_000
/** A command too long to be allowed is still read, up to here, for what denies it. */
const longestRead = 100_000
/** The parser may be slow on these, and no shell gives them any other meaning. */
const control = /[\p{Cc}--[\n\t\x80-\x9f]]/v
const mostExpansions = 100
const deepest = 25
const mostBraces = 500
/** How many parts, loop rounds and inner scripts one command may have before the analysis stops following it. */
const most: Readonly<Budget> = { segments: 300, rounds: 300, scripts: 20 }

/** The remaining budget, shared by a command and all scripts inside it: nested loops must not take forever. */
interface Budget {
  segments: number
  rounds: number
  scripts: number
}

/** What the text of a command line says by itself, wherever it would run. Nothing changes it. */
export interface ReadText extends Omit<Survey, "doubts"> {
  readonly tree: ParsedScript
  readonly hidden: readonly HiddenProgram[]
  readonly unreadable?: string
  readonly doubt?: string
}

/** Undefined for what is not even parsed. */
export type ReadTexts = (command: string) => ReadText | undefined

export const readText: ReadTexts = (command) => {
  if (command.length > longestRead || control.test(command) || nestsTooMuch(command)) return undefined
  const unreadable = command.length > longest ? "it is too long" : badCharacter(command)
  const tree = parse(command)
  const { doubts, ...surveyed } = survey(tree)
  const hidden = hiddenPrograms(tree, command)
  return { ...surveyed, tree, hidden, ...optional("unreadable", unreadable), ...optional("doubt", doubts[0]) }
}

/**
 * Reads a command line as bash would, without running or opening anything. Whoever asks about the same command several
 * times gives a reader that remembers texts.
 */
export function analyse(command: string, place: ShellPlace, read: ReadTexts = readText): Analysis {
  const start: State = { folders: [place.cwd], variables: new Map() }
  return analyseAt(command, place, start, { ...most }, read)
}

function analyseAt(command: string, place: ShellPlace, start: State, budget: Budget, read: ReadTexts): Analysis {
  const text = read(command)
  if (text === undefined) return notRead(command)
  const { tree, unreadable, broken, commands, bodies, hidden } = text
  let why = unreadable ?? text.doubt
  const segments: Segment[] = []
  const reached = new Set<unknown>()
  let stops: State[] = []
  const reading: Reading = {
    source: command,
    place,
    gap: gapsIn(command, bodies),
    doubt: (reason) => (why ??= reason),
    reach: (node) => reached.add(node),
    add: (segment) => {
      if (budget.segments-- > 0) segments.push(segment)
      else why ??= "it has too many parts"
    },
    isSpent: () => budget.segments < 0,
    mayRepeat: () => budget.segments > 0 && budget.rounds-- > 0,
    inner: (script, state) => walkScript(script, state, reading),
    stop: (state) => stops.push(state),
    stopsIn(walk) {
      const outer = stops
      stops = []
      walk()
      const found = stops
      stops = outer
      return found
    },
    body: (node, state) => walkCommand(node, state, undefined, reading).flow,
    behind: (script, state) => (budget.scripts-- > 0 ? analyseAt(script, place, state, budget, read).segments : []),
    salvage: (node) => salvage(node, reading),
  }
  walkScript(tree, start, reading)
  // What the parser saw and the walk did not reach could be anything.
  if (reached.size !== commands) {
    why ??= "a part of it was passed over"
    salvage(tree, reading, (each) => reached.has(each))
  }
  const whole = withHidden(segments, hidden, reading)
  if (why === undefined) return { understood: true, segments: whole }
  return { understood: false, why, segments: whole, ...((broken || unreadable !== undefined) && suspicion(command)) }
}

/** Refused before parsing: nesting costs the parser time, and no one means it. */
function nestsTooMuch(command: string): boolean {
  const opened = command.match(/[$<>]\(|\$\{|`/g)?.length ?? 0
  const braces = command.split("{").length - 1
  return opened > mostExpansions || braces > mostBraces || depthOf(command) > deepest
}

/** How deep expansions may be nested, quoted or not: each level is parsed once for every level around it. */
function depthOf(command: string): number {
  let depth = 0
  let reached = 0
  for (const [mark] of command.matchAll(/[$<>]\(|\$\{|[)}]/g)) {
    depth = mark.length === 2 ? depth + 1 : Math.max(0, depth - 1)
    reached = Math.max(reached, depth)
  }
  return reached
}

function notRead(command: string): Analysis {
  const why = command.length > longest ? "it is too long" : (badCharacter(command) ?? "it nests too much")
  return { understood: false, why, segments: [], ...suspicion(command) }
}

function suspicion(command: string): { readonly critical?: string } {
  return looksCritical(command)
    ? { critical: "May remove more than it shows: this command cannot be read for certain." }
    : {}
}
