/** Questions of the agent with answers to choose from, one after the other; one's own words are always an answer. */

import type { QuestionAsk } from "#agent/words/question.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { wordRows } from "./words.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { menuRows, pressMenu } from "./menu.ts"
import { answered, goesOn, type Pressed } from "./pressed.ts"
import { bared } from "#lib/printable.ts"

type Ask = QuestionAsk & { kind: "choice" }

export interface ChoiceState {
  readonly kind: "choice"
  readonly ask: Ask
  /** Which question is on the screen. */
  readonly number: number
  readonly at: number
  /** What is ticked, where several may be. */
  readonly ticked: readonly number[]
  readonly words: Editor | undefined
  readonly answers: { readonly [question: string]: string }
}

export const openChoice = (ask: Ask): ChoiceState => ({
  kind: "choice",
  ask,
  number: 0,
  at: 0,
  ticked: [],
  words: undefined,
  answers: {},
})

export function pressChoice(state: ChoiceState, key: Key): Pressed<ChoiceState> {
  const question = state.ask.questions[state.number]
  if (!question) return answered({ kind: "choices", answers: state.answers })
  if (state.words) return pressWords(state, state.words, key)
  if (key.kind === "key" && key.name === "escape")
    return answered({ kind: "unanswered", why: "the person closed the question" })
  const { options, multiSelect } = question
  if (multiSelect && key.kind === "text" && key.text === " ") return goesOn(toggled(state, state.at))
  const move = pressMenu(key, state.at, options.length + 1)
  switch (move.kind) {
    case "points":
      return goesOn({ ...state, at: move.at })
    case "takes":
      if (move.at === options.length) return goesOn({ ...state, at: move.at, words: emptyEditor })
      if (multiSelect && key.kind === "text") return goesOn(toggled({ ...state, at: move.at }, move.at))
      return multiSelect
        ? next(state, labels(state, state.ticked.length === 0 ? [move.at] : state.ticked))
        : next(state, labels(state, [move.at]))
    default:
      return goesOn(state)
  }
}

function pressWords(state: ChoiceState, words: Editor, key: Key): Pressed<ChoiceState> {
  const name = key.kind === "key" ? key.name : ""
  if (name === "escape") return goesOn({ ...state, words: undefined })
  if (name !== "enter") return goesOn({ ...state, words: press(words, key) ?? words })
  const text = fullText(words).trim()
  return text === "" ? goesOn(state) : next(state, [...labels(state, state.ticked), text])
}

function next(state: ChoiceState, chosen: readonly string[]): Pressed<ChoiceState> {
  const question = state.ask.questions[state.number]?.question ?? ""
  const answers = { ...state.answers, [question]: chosen.join(", ") }
  const number = state.number + 1
  if (number >= state.ask.questions.length) return answered({ kind: "choices", answers })
  return goesOn({ ...state, number, at: 0, ticked: [], words: undefined, answers })
}

const labels = ({ ask, number }: ChoiceState, which: readonly number[]): string[] =>
  which.flatMap((i) => ask.questions[number]?.options[i]?.label ?? [])

function toggled(state: ChoiceState, at: number): ChoiceState {
  const ticked = state.ticked.includes(at) ? state.ticked.filter((other) => other !== at) : [...state.ticked, at]
  return { ...state, ticked: ticked.toSorted((a, b) => a - b) }
}

export function choiceBody({ ask, number }: ChoiceState, columns: number): string[] {
  const question = ask.questions[number]
  if (!question) return []
  const of = ask.questions.length > 1 ? ` (${number + 1} of ${ask.questions.length})` : ""
  return [dim(bared(question.header) + of), ...wrapped(bold(bared(question.question)), columns)]
}

export function choiceRows({ ask, number, at, ticked, words }: ChoiceState, columns: number): string[] {
  const question = ask.questions[number]
  if (!question) return []
  const options = question.options.map(({ label, description }, i) => ({
    label: bared(label),
    about: bared(description),
    ...(question.multiSelect && { mark: ticked.includes(i) ? ("on" as const) : ("off" as const) }),
  }))
  const rows = menuRows([...options, { label: "In your own words" }], at, columns)
  return words ? [...rows, ...wordRows(words, columns)] : rows
}

export function choiceHint({ ask, number, words }: ChoiceState): string {
  if (words) return "enter sends · esc goes back"
  const several = ask.questions[number]?.multiSelect ? "space ticks · " : ""
  return `${several}enter answers · esc leaves it unanswered`
}
