/** The shell analysis: one parser, a positive grammar, decisions on the words a program will really get. */

import { parse } from "unbash"
import type { Analysis, Place, Segment } from "./analysis.ts"
import { badCharacter } from "./characters.ts"
import { looksCritical } from "./critical.ts"
import { gapsIn } from "./gaps.ts"
import { survey } from "./grammar.ts"
import type { Reading } from "./reading.ts"
import type { State } from "./state.ts"
import { salvage, walkScript } from "./walk.ts"

const longest = 10_000
/** How many parts and inner scripts one command may have before nobody follows it any further. */
const mostSegments = 300
const mostScripts = 20

/** What is left to spend, shared by a command and all scripts inside it: loops in loops must not take forever to read. */
interface Budget {
  segments: number
  scripts: number
}

/** Reads a command line as bash would, without running or opening anything. */
export function analyse(command: string, place: Place): Analysis {
  const start: State = { folders: [place.cwd], variables: new Map() }
  return analyseAt(command, place, start, { segments: mostSegments, scripts: mostScripts })
}

function analyseAt(command: string, place: Place, start: State, budget: Budget): Analysis {
  const unreadable = command.length > longest ? "it is too long" : badCharacter(command)
  if (unreadable !== undefined) return notRead(command, unreadable)
  const tree = parse(command)
  const { doubts, broken, commands, bodies } = survey(tree)
  let why = doubts[0]
  const segments: Segment[] = []
  const reached = new Set<unknown>()
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
    isSpent: () => budget.segments <= 0,
    inner: (script, state) => walkScript(script, state, reading),
    behind: (script, state) => (budget.scripts-- > 0 ? analyseAt(script, place, state, budget).segments : []),
    salvage: (node) => salvage(node, reading),
  }
  walkScript(tree, start, reading)
  // What the parser saw and the walk did not reach could be anything.
  if (reached.size !== commands) why ??= "a part of it was passed over"
  if (why === undefined) return { understood: true, segments }
  return { understood: false, why, segments, ...(broken && suspicion(command)) }
}

function notRead(command: string, why: string): Analysis {
  return { understood: false, why, segments: [], ...suspicion(command) }
}

function suspicion(command: string): { readonly critical?: string } {
  return looksCritical(command) ? { critical: "It could remove more than it says: nobody can read it for sure." } : {}
}
