/** Reads an answer to a question: by its number, or in words. */

import { asChoices } from "#agent/words/elicitation.ts"
import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type Question, type QuestionAsk } from "#agent/words/question.ts"
import {
  declined,
  declinedMember,
  instead,
  type PermissionAsk,
  type PermissionChoice,
  permissionChoices,
  type PlanAsk,
  planChoices,
} from "#faces/view/consent.ts"
import { partLetter } from "#faces/view/question-lines.ts"
import type { Clock } from "#lib/clock.ts"
import type { LineInput } from "./input.ts"

/** Sooner than this after a question appears, a line was typed for something else. */
const tooSoonMs = 300

interface AnswerInput {
  readonly input: LineInput
  readonly clock: Clock
  readonly signal: AbortSignal
}

type AskedBy = Pick<Question, "ask" | "agent">

type ReadLine = (words: string) => Promise<string | undefined>

/** Undefined if the question was withdrawn meanwhile. */
export async function readAnswer({ ask, agent }: AskedBy, reading: AnswerInput): Promise<Answer | undefined> {
  const line = openReader(reading)
  switch (ask.kind) {
    case "permission":
      return (await readPermission(ask, line, { ...reading, agent })) ?? noAnswer(reading)
    case "choice":
      return (await readChoices(ask, line)) ?? noAnswer(reading)
    case "elicitation": {
      const choices = asChoices(ask)
      return choices ? readAnswer({ ask: choices }, reading) : { kind: "elicited", action: "decline" }
    }
    case "plan":
      return (await readPlan(ask, line, { ...reading, by: agent ? "agent" : "main" })) ?? noAnswer(reading)
  }
}

async function readPermission(
  ask: PermissionAsk,
  line: ReadLine,
  reading: AnswerInput & { readonly agent: Question["agent"] | undefined },
): Promise<Answer | undefined> {
  const choices = permissionChoices(ask)
  const asks = `  1 to ${choices.length}, or what to do differently: `
  for (let prompt = asks; ; prompt = `  Not an answer here. ${asks.trimStart()}`) {
    const words = await line(prompt)
    if (words === undefined) return undefined
    if (/^y(?:es)?$/i.test(words)) return { kind: "allow" }
    if (/^no?$/i.test(words)) return reading.agent?.name === undefined ? declined : declinedMember
    const [, number, rest = ""] = /^(\d+|always)(?: +(.*))?$/is.exec(words) ?? []
    if (number === undefined) return instead(words)
    const choice = number === "always" ? choices.find(isLasting) : choices[Number(number) - 1]
    const answer = choice && (await chosen(choice, rest, ask, reading))
    if (answer) return answer
    if (number === "always") return instead(words)
  }
}

const isLasting = ({ kind }: PermissionChoice): boolean => kind === "rule" || kind === "add rule" || kind === "parts"

/** Undefined if what follows the number is invalid. */
async function chosen(
  choice: PermissionChoice,
  rest: string,
  ask: PermissionAsk,
  reading: AnswerInput,
): Promise<Answer | undefined> {
  switch (choice.kind) {
    case "yes":
      return withAdded({ kind: "allow" }, rest)
    case "mode":
      return withAdded({ kind: "allow", mode: choice.mode }, rest)
    case "no":
      return rest === "" ? readInstead(reading) : instead(rest)
    case "keep": {
      const answer = rest === "" ? await readInstead(reading) : instead(rest)
      return answer && { ...answer, keep: true }
    }
    case "rule":
    case "add rule":
    case "parts": {
      const grants = readGrants(rest, ask)
      return grants && { kind: "allow", grants }
    }
  }
}

/** `1 and keep the names`: other words behind a number may be meant as a no. */
function withAdded<T extends Answer & { readonly kind: "allow" | "approve" }>(answer: T, rest: string): T | undefined {
  const [, words] = /^and +(.+)$/is.exec(rest) ?? []
  if (words !== undefined) return { ...answer, words }
  return rest === "" ? answer : undefined
}

type Denial = Answer & { readonly kind: "deny" }

/** An empty line is a plain no. */
async function readInstead({ input, signal }: AnswerInput): Promise<Denial | undefined> {
  const words = await input.ask("  What to do differently (Enter to only decline): ", signal)
  return words === undefined ? undefined : instead(words)
}

const destinations: { readonly [word: string]: GrantDestination } = {
  session: "session",
  local: "local settings",
  project: "project settings",
  user: "user settings",
}

/** Optionally a place to save, then optionally another rule than the suggested one, or letters of parts. */
function readGrants(rest: string, ask: PermissionAsk): readonly Grant[] | undefined {
  const form =
    /^(session|local|project|user)?(?:(?:^| +)([A-Z]\w*(?:\(.+\))?|mcp__[\w*-]+)|(?:^| +)([a-z](?:[ ,]+[a-z])*))?$/
  const found = form.exec(rest)
  const destination = destinations[found?.[1] ?? "session"] ?? "session"
  if (!found || !ask.destinations?.includes(destination)) return undefined
  const [, , written, letters] = found
  const parts = offeredRules(ask)
  const wanted = letters?.split(/[ ,]+/).map((letter) => parts.find((_, i) => partLetter(i) === letter))
  const rules = written === undefined ? (wanted ?? parts) : [written]
  const named = rules.filter((rule) => rule !== undefined)
  return named.length > 0 && named.length === rules.length ? named.map((rule) => ({ rule, destination })) : undefined
}

async function readChoices(ask: QuestionAsk & { kind: "choice" }, line: ReadLine): Promise<Answer | undefined> {
  const answers = new Map<string, string>()
  for (let at = 0; ;) {
    const asked = ask.questions[at]
    if (!asked) return { kind: "choices", answers: Object.fromEntries(answers) }
    const { question, header, options, multiSelect, takes } = asked
    const back = at > 0 ? ", or back" : ""
    const numbers = multiSelect ? "numbers" : "a number"
    const place = ask.questions.length > 1 ? `${header} (${at + 1} of ${ask.questions.length}): ` : ""
    const words = await line(`  ${place}${numbers}${takes === "an option" ? "" : " or your own answer"}${back}: `)
    if (words === undefined) return undefined
    if (at > 0 && /^back$/i.test(words)) {
      at--
      continue
    }
    const picked = /^\d+(?:[ ,]+\d+)*$/.test(words)
      ? words.split(/[ ,]+/).map((n) => options[Number(n) - 1]?.label)
      : []
    const isPicked = picked.length > 0 && (multiSelect || picked.length === 1) && !picked.includes(undefined)
    if (!isPicked && takes === "an option") continue
    const [, number, added] = (takes === undefined && /^(\d+),? and (.+)$/is.exec(words)) || []
    const named = options[Number(number) - 1]?.label
    answers.set(question, isPicked ? picked.join(", ") : named === undefined ? words : `${named}, ${added}`)
    at++
  }
}

async function readPlan(
  ask: PlanAsk,
  line: ReadLine,
  reading: AnswerInput & { readonly by: "main" | "agent" },
): Promise<Answer | undefined> {
  const choices = planChoices(ask)
  const wishes = ask.wishes.flatMap(({ prompt, covers }) => (covers === undefined ? [] : [prompt]))
  const asks = `  1 to ${choices.length}, or what to change: `
  for (let prompt = asks; ; prompt = `  Not an answer here. ${asks.trimStart()}`) {
    const words = await line(prompt)
    if (words === undefined) return undefined
    if (/^no?$/i.test(words)) return { kind: "deny", interrupt: false }
    const [, said = "", fresh] = /^(\d+|y(?:es)?|edits?)( +fresh)?$/i.exec(words) ?? []
    if (said === "") {
      const [, number, rest = ""] = /^(\d+) +(.*)$/s.exec(words) ?? []
      const named = choices[Number(number) - 1]
      const added = named?.kind === "approve" && withAdded({ kind: "approve", mode: named.mode, wishes }, rest)
      if (added) return added
      return instead(named?.kind === "change" ? rest : words)
    }
    const mode = /^y/i.test(said) ? "default" : /^e/i.test(said) ? "acceptEdits" : undefined
    const choice = mode === undefined ? choices[Number(said) - 1] : ({ kind: "approve", mode } as const)
    if (choice?.kind === "approve")
      return {
        kind: "approve",
        mode: choice.mode,
        wishes,
        // An agent keeps the context it has.
        ...(fresh !== undefined && reading.by === "main" && { fresh: true }),
      }
    if (choice?.kind === "change") return readInstead(reading)
  }
}

const noAnswer = ({ signal }: AnswerInput): Answer | undefined =>
  signal.aborted ? undefined : { kind: "unanswered", why: "the input ended" }

/** Repeats the question until a line can be an answer. */
function openReader({ input, clock, signal }: AnswerInput): ReadLine {
  const shownAt = clock.now()
  return async (words) => {
    for (;;) {
      const line = await input.ask(words, signal)
      if (line === undefined) return undefined
      if (line.trim() !== "" && clock.now() - shownAt >= tooSoonMs) return line.trim()
    }
  }
}
