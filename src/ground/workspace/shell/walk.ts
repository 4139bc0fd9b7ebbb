/** Walks a script statement by statement and follows the effects of each on the next. */

import {
  type AndOr,
  type Case,
  type CommandNode,
  type CompoundList,
  type If,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Redirected,
  type Statement,
} from "unbash"
import { walkDoubleBracket } from "./double-bracket.ts"
import { expectGap, expectWords } from "./expect-gap.ts"
import { defined } from "./functions.ts"
import type { Listing } from "./listing.ts"
import { countingLoop, forLoop, arithmeticCommand, whileLoop } from "./loops.ts"
import type { Printed, Reading } from "./reading.ts"
import { areQuiet, walkRedirects } from "./redirects.ts"
import { salvage } from "./salvage.ts"
import { walkSimple, type Walked } from "./simple.ts"
import { always, either, type Flow, type State, unfed } from "./state.ts"
import { readWord } from "./word.ts"

export function walkScript(script: ParsedScript, state: State, reading: Reading): Walked {
  return statements(script.commands, script, state, reading)
}

function statements(
  list: readonly Statement[],
  { pos, end }: { readonly pos: number; readonly end: number },
  before: State,
  reading: Reading,
): Walked {
  let at = pos
  let state = before
  let last: Walked = { flow: always(before) }
  for (const statement of list) {
    if (reading.isSpent()) break
    const isFirst = statement === list[0]
    expectGap(reading, at, statement.pos, isFirst ? /^\n*$/ : /^(?:;\n*|\n+)$/, {
      after: isFirst ? "" : reading.source[at - 1],
    })
    last = walkStatement(statement, state, reading)
    state = either(last.flow.succeeded, last.flow.failed) ?? state
    at = statement.end
  }
  expectGap(reading, at, end, /^;?\n*$/)
  return list.length === 1 ? last : { flow: last.flow }
}

function walkStatement({ command, background, end }: Statement, state: State, reading: Reading): Walked {
  expectGap(reading, command.end, end, background ? /^&$/ : /^$/)
  const walked = command.type === "AndOr" ? andOr(command, state, reading) : pipelineNode(command, state, reading)
  return background ? { flow: always(state) } : walked
}

function andOr({ commands, operators }: AndOr, state: State, reading: Reading): Walked {
  const [first, ...rest] = commands
  if (!first || rest.length !== operators.length) return lostTrack("a list of commands is not whole", state, reading)
  let flow = pipelineNode(first, state, reading).flow
  let at = first.end
  for (const [i, command] of rest.entries()) {
    const isAnd = operators[i] === "&&"
    expectGap(reading, at, command.pos, isAnd ? /^&&\n*$/ : /^\|\|\n*$/)
    const next = pipelineNode(command, (isAnd ? flow.succeeded : flow.failed) ?? state, reading).flow
    flow = isAnd
      ? { succeeded: next.succeeded, failed: either(flow.failed, next.failed) }
      : { succeeded: either(flow.succeeded, next.succeeded), failed: next.failed }
    at = command.end
  }
  return { flow }
}

function pipelineNode(node: PipelineNode, state: State, reading: Reading): Walked {
  return node.type === "Pipeline" ? pipeline(node, state, reading) : walkCommand(node, state, undefined, reading)
}

function pipeline(node: Pipeline, state: State, reading: Reading): Walked {
  const { prefixes, commands, operators } = node
  let at = node.pos
  for (const prefix of prefixes) {
    expectGap(reading, at, prefix.pos, /^$/)
    at = prefix.end
  }
  const [only] = commands
  if (!only) return lostTrack("a pipeline is empty", state, reading)
  if (commands.length === 1) {
    expectGap(reading, at, only.pos, /^$/)
    const { flow } = walkCommand(only, state, undefined, reading)
    const isNegated = prefixes.filter(({ type }) => type === "Negation").length % 2 === 1
    return { flow: isNegated ? { succeeded: flow.failed, failed: flow.succeeded } : flow }
  }
  if (operators.length !== commands.length - 1) return lostTrack("a pipeline is not whole", state, reading)
  let fed: Listing | undefined
  let prints: Printed["prints"]
  for (const [i, command] of commands.entries()) {
    expectGap(reading, at, command.pos, i === 0 ? /^$/ : operators[i - 1] === "|&" ? /^\|&\n*$/ : /^\|\n*$/)
    // Each part runs in its own shell, so that what it changes ends with it.
    const walked = walkCommand(command, unfed(state), fed, reading)
    fed = walked.listing ?? (walked.prints && words)
    prints = walked.prints ?? (prints && trims(command, reading) ? prints : undefined)
    // Complaints among the names could be any.
    if (operators[i] === "|&") {
      fed = undefined
      prints = undefined
    }
    at = command.end
  }
  return { flow: always(state), ...(fed && { listing: fed }), ...(prints && { prints }) }
}

/** The input when only words without a dash are printed. */
const words: Listing = { nul: false, names: () => ({ token: true }) }

/** Only removes spaces or lines: a count that some systems indent, or all hashes but the first. */
function trims({ pos, end }: CommandNode, { source }: Reading): boolean {
  return /^(?:xargs|tr -d (?:' '|" "|'\[:space:\]')|(?:head|tail) (?:-n ?)?-?\d+)$/.test(source.slice(pos, end))
}

export function walkCommand(node: CommandNode, state: State, fed: Listing | undefined, reading: Reading): Walked {
  const lists = (list: CompoundList, from: State): Flow => statements(list.commands, list, from, reading).flow
  switch (node.type) {
    case "Command":
      return walkSimple(node, state, fed, reading)
    case "Redirected":
      return redirected(node, state, reading, fed)
    case "Subshell":
      block(node, node.body, ["(", ")"], state, reading)
      return { flow: always(state) }
    case "BraceGroup":
      return { flow: block(node, node.body, ["{", "}"], state, reading) }
    case "If":
      return { flow: conditional(node, state, reading) }
    case "While":
      return { flow: whileLoop(node, fed ? { ...state, fed } : state, state, reading, lists) }
    case "For":
      return { flow: forLoop(node, state, reading, lists) }
    case "ArithmeticFor":
      return { flow: countingLoop(node, state, reading, lists) }
    case "ArithmeticCommand":
      return { flow: arithmeticCommand(node, state, reading) }
    case "Function":
      return { flow: always(defined(node, state, reading)) }
    case "TestCommand":
      walkDoubleBracket(node, state, reading)
      return { flow: always(state) }
    case "Case":
      return { flow: choice(node, state, reading) }
    default:
      // The survey has already reported what kind it is.
      salvage(node, reading)
      return { flow: always(state) }
  }
}

function redirected({ command, redirects }: Redirected, state: State, reading: Reading, fed?: Listing): Walked {
  let at = command.end
  for (const { pos, end } of redirects) {
    expectGap(reading, at, pos, /^$/)
    at = end
  }
  walkRedirects(redirects, state, reading)
  const isQuiet = areQuiet(redirects, reading)
  const before = isQuiet ? state : unfed(state)
  const { succeeded, failed } = walkCommand(command, before, isQuiet ? fed : undefined, reading).flow
  // The identical state is returned when nothing changed, so that a change can be detected by identity.
  const after = (now: State | undefined): State | undefined => (now === before ? state : now)
  return { flow: { succeeded: after(succeeded), failed: after(failed) } }
}

function block(
  { pos, end }: { readonly pos: number; readonly end: number },
  body: CompoundList,
  [open, close]: readonly [string, string],
  state: State,
  reading: Reading,
): Flow {
  expectWords(reading, pos, body.pos, open)
  const { flow } = statements(body.commands, body, state, reading)
  expectWords(reading, body.end, end, close)
  return flow
}

function conditional(node: If, state: State, reading: Reading): Flow {
  expectWords(reading, node.pos, node.clause.pos, "if")
  let test = statements(node.clause.commands, node.clause, state, reading).flow
  expectWords(reading, node.clause.end, node.then.pos, "then")
  const ends = [statements(node.then.commands, node.then, test.succeeded ?? state, reading).flow]
  let at = node.then.end
  for (const branch of node.elif) {
    expectWords(reading, at, branch.clause.pos, "elif")
    test = statements(branch.clause.commands, branch.clause, test.failed ?? state, reading).flow
    expectWords(reading, branch.clause.end, branch.then.pos, "then")
    ends.push(statements(branch.then.commands, branch.then, test.succeeded ?? state, reading).flow)
    at = branch.then.end
  }
  if (node.else) {
    expectWords(reading, at, node.else.pos, "else")
    ends.push(statements(node.else.commands, node.else, test.failed ?? state, reading).flow)
    at = node.else.end
  } else ends.push({ succeeded: test.failed, failed: undefined })
  expectWords(reading, at, node.end, "fi")
  return {
    succeeded: ends.map(({ succeeded }) => succeeded).reduce(either),
    failed: ends.map(({ failed }) => failed).reduce(either),
  }
}

function choice({ word, items, pos, end }: Case, state: State, reading: Reading): Flow {
  const decoder = { reading, state }
  expectGap(reading, pos, word.pos, /^case$/)
  readWord(word, "whole", { ...decoder, compares: true })
  let at = word.end
  const ends: Flow[] = [always(state)]
  for (const [i, item] of items.entries()) {
    expectGap(reading, at, item.pos, i === 0 ? /^\n*in\n*$/ : /^\n*$/)
    at = item.pos
    for (const [j, pattern] of item.pattern.entries()) {
      expectGap(reading, at, pattern.pos, j === 0 ? /^\(?$/ : /^\|$/)
      readWord(pattern, "whole", decoder)
      at = pattern.end
    }
    expectGap(reading, at, item.body.pos, /^\)\n*$/)
    ends.push(statements(item.body.commands, item.body, state, reading).flow)
    expectGap(reading, item.body.end, item.end, item.terminator === ";;" ? /^\n*;;$/ : /^;?\n*$/)
    if (item.terminator !== ";;" && i < items.length - 1) reading.doubt("a case falls through")
    at = item.end
  }
  expectGap(reading, at, end, items.length === 0 ? /^\n*in\n*esac$/ : /^\n*esac$/)
  return {
    succeeded: ends.map((flow) => flow.succeeded).reduce(either),
    failed: ends.map((flow) => flow.failed).reduce(either),
  }
}

function lostTrack(why: string, state: State, reading: Reading): Walked {
  reading.doubt(why)
  return { flow: always(state) }
}
