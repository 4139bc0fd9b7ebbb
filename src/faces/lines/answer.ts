/** Reads a person's answer to a question. */

import { asChoices } from "#agent/words/elicitation.ts"
import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { Clock } from "#lib/clock.ts"
import type { LineInput } from "./input.ts"

/** What comes sooner than this after a question appeared was typed for something else. */
const tooSoonMs = 300

interface Reading {
  readonly input: LineInput
  readonly clock: Clock
  /** Aborts when the question is withdrawn. */
  readonly signal: AbortSignal
}

/** The answer; nothing when the question was withdrawn meanwhile. */
export async function readAnswer(ask: QuestionAsk, reading: Reading): Promise<Answer | undefined> {
  const line = openReader(reading)
  switch (ask.kind) {
    case "permission": {
      const asks = canRemember(ask)
        ? "  yes, always, no, or what to do instead: "
        : "  yes, no, or what to do instead: "
      let words = await line(asks)
      // A number that no part has is a slip, and nothing to tell the model.
      while (words !== undefined && canRemember(ask) && namesParts.test(words) && !readGrants(words, ask))
        words = await line(`  No part has that number.${asks.slice(1)}`)
      if (words === undefined) return noAnswer(reading)
      if (/^y(es)?$/i.test(words)) return { kind: "allow" }
      const grants = canRemember(ask) ? readGrants(words, ask) : undefined
      if (grants) return { kind: "allow", grants }
      return /^no?$/i.test(words) ? { kind: "deny", interrupt: true } : { kind: "deny", words, interrupt: false }
    }
    case "choice": {
      const answers: { [question: string]: string } = {}
      for (const { question, options } of ask.questions) {
        const words = await line("  number or your own words: ")
        if (words === undefined) return noAnswer(reading)
        answers[question] = options[Number(words) - 1]?.label ?? words
      }
      return { kind: "choices", answers }
    }
    case "elicitation": {
      const choices = asChoices(ask)
      return choices ? readAnswer(choices, reading) : { kind: "elicited", action: "decline" }
    }
    case "plan": {
      const words = await line(planWords)
      if (words === undefined) return noAnswer(reading)
      const wishes = ask.wishes.flatMap(({ prompt, covers }) => (covers === undefined ? [] : [prompt]))
      const [, said, fresh] = /^(y(?:es)?|edits?)( +fresh)?$/i.exec(words) ?? []
      const mode = said?.toLowerCase().startsWith("e") ? "acceptEdits" : "default"
      if (said !== undefined) return { kind: "approve", mode, wishes, ...(fresh !== undefined && { fresh: true }) }
      return /^no?$/i.test(words) ? { kind: "deny", interrupt: false } : { kind: "deny", words, interrupt: false }
    }
  }
}

const planWords =
  "  yes (ask for each edit), edits (without asking), either with fresh behind it (forget all but the plan), no, or what to change: "

type PermissionAsk = QuestionAsk & { readonly kind: "permission" }

const canRemember = ({ destinations = [] }: PermissionAsk): boolean => destinations.length > 0

const places: { readonly [word: string]: GrantDestination } = {
  session: "session",
  local: "local settings",
  project: "project settings",
  user: "user settings",
}

const namesParts = /^always(?: +(?:session|local|project|user))? +\d+(?:[ ,]+\d+)*$/

/** `always`, then perhaps where to keep it, then perhaps another rule than the suggested one, or the numbers of parts. */
function readGrants(words: string, ask: PermissionAsk): readonly Grant[] | undefined {
  const { suggestedRule, destinations = [], parts = [] } = ask
  const form =
    /^always(?: +(session|local|project|user))?(?: +([A-Z]\w*(?:\(.+\))?|mcp__[\w*-]+)| +(\d+(?:[ ,]+\d+)*))?$/
  const found = form.exec(words)
  const destination = places[found?.[1] ?? "session"] ?? "session"
  if (!found || !destinations.includes(destination)) return undefined
  const numbered = parts.flatMap(({ rule }) => rule ?? [])
  const wanted = found[3]?.split(/[ ,]+/).map((number) => numbered[Number(number) - 1])
  const one = found[2] ?? (wanted ? undefined : suggestedRule)
  const rules = one === undefined ? (wanted ?? numbered) : [one]
  const named = rules.filter((rule) => rule !== undefined)
  return named.length > 0 && named.length === rules.length
    ? [...new Set(named)].map((rule) => ({ rule, destination }))
    : undefined
}

const noAnswer = ({ signal }: Reading): Answer | undefined =>
  signal.aborted ? undefined : { kind: "unanswered", why: "the input ended" }

/** Asks until a line says something and can be meant as an answer. */
function openReader({ input, clock, signal }: Reading): (words: string) => Promise<string | undefined> {
  const shownAt = clock.now()
  return async (words) => {
    for (;;) {
      const line = await input.ask(words, signal)
      if (line === undefined) return undefined
      if (line.trim() !== "" && clock.now() - shownAt >= tooSoonMs) return line.trim()
    }
  }
}
