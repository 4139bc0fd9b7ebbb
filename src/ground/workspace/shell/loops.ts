/** Loops: the result of one round is the start of the next, until nothing changes. */

import type { ArithmeticFor, CompoundList, For, While } from "unbash"
import { type Argument, someText, unknown } from "./argument.ts"
import { expectGap, expectWords } from "./expect-gap.ts"
import { isOwnName } from "./names.ts"
import type { Reading } from "./reading.ts"
import { assignedNames } from "./arithmetic.ts"
import { emptySegment } from "./segment.ts"
import { always, either, type Flow, isSame, type State, widened, withVariable } from "./state.ts"
import { readWord } from "./word.ts"

/** Walks a list of statements; passed in, since statements contain loops and loops statements. */
export type Walk = (list: CompoundList, state: State) => Flow

/** How often a loop is followed until it must be stable: each variable can widen twice. */
const mostRounds = 6

/** `inside` is the state with the loop's input, `outside` the one to return to. */
export function whileLoop(
  { kind, clause, body, pos, end }: While,
  inside: State,
  outside: State,
  reading: Reading,
  walk: Walk,
): Flow {
  expectWords(reading, pos, clause.pos, kind)
  expectWords(reading, clause.end, body.pos, "do")
  expectWords(reading, body.end, end, "done")
  const rest = settled(inside, reading, (start) => {
    const found: (State | undefined)[] = []
    // A condition may stop the loop as well as its body.
    const stops = reading.stopsIn(() => {
      const test = walk(clause, start)
      const { succeeded, failed } = walk(body, (kind === "while" ? test.succeeded : test.failed) ?? start)
      found.push(test.succeeded, test.failed, succeeded, failed)
    })
    return [...found, ...stops]
  })
  return always(rest === inside ? outside : without(rest, outside))
}

/** Every state in which a round may end, also early. */
function endsOf(reading: Reading, walk: Walk): (body: CompoundList, start: State) => readonly (State | undefined)[] {
  return (body, start) => {
    let flow: Flow = always(start)
    const stops = reading.stopsIn(() => {
      flow = walk(body, start)
    })
    return [flow.succeeded, flow.failed, ...stops]
  }
}

/** Rounds from the same start until every one ends where it began; a folder must stay the same. */
function settled(before: State, reading: Reading, round: (start: State) => readonly (State | undefined)[]): State {
  let start = before
  for (let i = 0; i < mostRounds; i++) {
    if (!reading.mayRepeat()) break
    const now = start
    const next = round(now).reduce<State>((all, end) => widened(all, end), now)
    if (JSON.stringify(next.folders) !== JSON.stringify(now.folders)) reading.doubt("a loop changes the folder")
    if (isSame(now, next)) return now
    start = before.fed ? { ...next, fed: before.fed } : next
  }
  reading.doubt("a loop changes too much to be followed")
  return start
}

/** An inner shell's input does not leave it. */
function without({ fed: _fed, ...state }: State, { fed }: State): State {
  return fed ? { ...state, fed } : state
}

/** How many words a loop is followed over one by one. */
const mostWords = 50

/** A loop over words is read as its body once for each word, which is exactly what it is. */
export function forLoop({ name, wordlist, body, pos, end }: For, state: State, reading: Reading, walk: Walk): Flow {
  const decoder = { reading, state }
  const words = (wordlist ?? []).flatMap((word) => readWord(word, "split", decoder))
  if (!wordlist || !isOwnName(name.text)) reading.doubt("a loop runs over what is not written in it")
  let at = name.end
  expectWords(reading, pos, name.pos, "for")
  for (const [i, word] of (wordlist ?? []).entries()) {
    expectGap(reading, at, word.pos, i === 0 ? /^\n*in$/ : /^$/)
    at = word.end
  }
  if (wordlist?.length === 0) reading.doubt("a loop runs over nothing")
  expectWords(reading, at, body.pos, "do")
  expectWords(reading, body.end, end, "done")
  if (words.length > mostWords) reading.doubt("a loop runs too often to be followed")
  const round = (value: Argument, start: State): readonly (State | undefined)[] =>
    endsOf(reading, walk)(body, withVariable(start, name.text, eachOf(value)))
  let now = state
  let isSure = words.every(({ many }) => !many)
  for (const value of words.slice(0, mostWords)) {
    if (!reading.mayRepeat()) {
      reading.doubt("it repeats too often to be followed")
      break
    }
    const start = now
    if (value.many) {
      // One word that stands for many, or for none, is as many rounds.
      now = settled(withVariable(start, name.text, eachOf(value)), reading, (each) => round(value, each))
      continue
    }
    const [succeeded, failed, ...stops] = round(value, start)
    now = either(succeeded, failed) ?? start
    if (stops.length > 0) {
      isSure = false
      // Whoever stops early goes past what follows.
      now = [start, ...stops].reduce<State>((all, stopped) => widened(all, stopped), now)
    }
  }
  return always(isSure ? now : withVariable(widened(now, state), name.text, lastOf(words, name.text)))
}

/** The variable's value in one round: one of the words that an argument became. */
const eachOf = (value: Argument): Argument => (value.kind === "pipe" ? unknown(value.text) : { ...value, many: false })

const lastOf = (words: readonly Argument[], name: string): Argument => {
  const [only, ...others] = words
  // A pattern that matches nothing stands for itself; of anything else there may have been none.
  const isSure = only !== undefined && others.length === 0 && (only.kind === "exact" || only.kind === "glob")
  return isSure ? { ...only, many: false } : someText(`$${name}`)
}

/** `for ((i = 0; i < 3; i++))` with numbers of its own. */
export function countingLoop(node: ArithmeticFor, state: State, reading: Reading, walk: Walk): Flow {
  const { pos, end, body } = node
  const head = reading.source.slice(pos, body.pos)
  const [, first, test, last] = /^for\s*\(\(([^;()]*);([^;()]*);([^;()]*)\)\)\s*;?\s*do\s*$/.exec(head) ?? []
  expectWords(reading, body.end, end, "done")
  if (first === undefined || test === undefined || last === undefined) {
    reading.doubt("a for loop that reckons is not read whole")
    walk(body, state)
    return always(state)
  }
  if (assignedNames(test, state)?.length) reading.doubt("a condition sets a variable")
  const ends = endsOf(reading, walk)
  const begun = evaluate(first, state, reading)
  const rest = settled(begun, reading, (start) => {
    const all = ends(body, evaluate(test, start, reading))
    return [...all, ...all.map((ended) => ended && evaluate(last, ended, reading))]
  })
  return always(rest)
}

function evaluate(expression: string, state: State, reading: Reading): State {
  if (expression.trim() === "") return state
  const set = assignedNames(expression, state)
  if (!set) reading.doubt("it reckons with what may not be a number")
  return (set ?? []).reduce(
    (now, name) => withVariable(now, name, { ...someText(`$${name}`), number: "always" }),
    state,
  )
}

/** `(( … ))` on its own. */
export function arithmeticCommand(
  { pos, end }: { readonly pos: number; readonly end: number },
  state: State,
  reading: Reading,
): Flow {
  const text = reading.source.slice(pos, end)
  const [, expression] = /^\(\((.*)\)\)$/s.exec(text) ?? []
  if (expression === undefined || /[()]/.test(expression)) reading.doubt("a reckoning is not read whole")
  reading.add(emptySegment(text, state))
  return always(evaluate(expression ?? "", state, reading))
}
