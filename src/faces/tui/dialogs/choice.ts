/**
 * Questions with answers to choose from, one after the other. Words can be added to an answer, or typed instead of it,
 * unless only options are answers.
 */

import type { QuestionAsk } from "#agent/words/question.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import { menuRows, nowhere, pressMenu } from "./menu.ts"
import { answered, nameOf, type Pressed, staysOpen, unused } from "./pressed.ts"
import type { Shown } from "./shown.ts"
import { wordRows } from "./words.ts"

type Ask = QuestionAsk & { kind: "choice" }

interface Page {
  readonly at: number
  readonly checked: readonly number[]
  /** What goes with the answer that is pointed at, or stands for it, while it is typed. */
  readonly words: Editor | undefined
  /** What was typed last: whoever goes back to the answers finds it again. */
  readonly draft: Editor
  readonly answer?: string
}

export interface ChoiceState {
  readonly kind: "choice"
  readonly ask: Ask
  readonly number: number
  readonly pages: readonly Page[]
}

export const openChoice = (ask: Ask): ChoiceState => ({
  kind: "choice",
  ask,
  number: 0,
  pages: ask.questions.map(({ options }) => ({
    at: 0,
    checked: [],
    // Where there is nothing to choose, there is only something to type.
    words: options.length === 0 ? emptyEditor : undefined,
    draft: emptyEditor,
  })),
})

export function pressChoice(state: ChoiceState, key: Key): Pressed<ChoiceState> {
  const question = state.ask.questions[state.number]
  const page = state.pages[state.number]
  if (!question || !page) return done(state)
  const name = nameOf(key)
  if (page.words) return pressWords(state, page, page.words, key)
  if (name === "escape") return answered({ kind: "unanswered", why: "the question was closed without an answer" })
  if ((name === "left" || name === "shift+tab") && state.number > 0)
    return staysOpen({ ...state, number: state.number - 1 })
  if (name === "right" && page.answer !== undefined && state.number < state.pages.length - 1)
    return staysOpen({ ...state, number: state.number + 1 })
  const own = question.options.length
  const { multiSelect, takes } = question
  if (name === "tab" && takes === "an option") return unused
  if (name === "tab")
    return staysOpen(withPage(state, writing(page, takes === undefined && page.at !== nowhere ? page.at : own)))
  if (multiSelect && key.kind === "text" && key.text === " " && page.at !== nowhere && page.at !== own)
    return staysOpen(withPage(state, toggled(page, page.at)))
  const move = pressMenu(key, page.at, takes === "an option" ? own : own + 1)
  switch (move.kind) {
    case "points":
      return staysOpen(withPage(state, { ...page, at: move.at }))
    case "takes":
      if (move.at === own) return staysOpen(withPage(state, writing(page, own)))
      if (multiSelect && key.kind === "text")
        return staysOpen(withPage(state, toggled({ ...page, at: move.at }, move.at)))
      return next(state, { ...page, at: move.at }, labels(state, chosen(page, move.at, multiSelect)))
    case "nothing":
      return unused
  }
}

const writing = (page: Page, at: number): Page => ({ ...page, at, words: page.draft })

const chosen = ({ checked }: Page, at: number, multiSelect: boolean): readonly number[] =>
  multiSelect && checked.length > 0 ? checked : [at]

function pressWords(state: ChoiceState, page: Page, words: Editor, key: Key): Pressed<ChoiceState> {
  const name = nameOf(key)
  const { options = [], multiSelect = false } = state.ask.questions[state.number] ?? {}
  if (name === "escape" && options.length === 0)
    return answered({ kind: "unanswered", why: "the question was closed without an answer" })
  if (name === "escape") return staysOpen(withPage(state, { ...page, words: undefined, draft: words }))
  if (name === "shift+tab" && state.number > 0) return staysOpen({ ...state, number: state.number - 1 })
  if (name !== "enter") return staysOpen(withPage(state, { ...page, words: press(words, key) ?? words }))
  const text = fullText(words).trim()
  const isAdded = page.at < options.length
  if (text === "" && !isAdded) return staysOpen(state)
  const said = labels(state, isAdded ? chosen(page, page.at, multiSelect) : page.checked)
  return next(state, { ...page, draft: words }, text === "" ? said : [...said, text])
}

function next(state: ChoiceState, page: Page, said: readonly string[]): Pressed<ChoiceState> {
  const after = withPage(state, { ...page, answer: said.join(", ") })
  return state.number === state.pages.length - 1 ? done(after) : staysOpen({ ...after, number: state.number + 1 })
}

const done = ({ ask, pages }: ChoiceState): Pressed<never> =>
  answered({
    kind: "choices",
    answers: Object.fromEntries(ask.questions.map(({ question }, i) => [question, pages[i]?.answer ?? ""])),
  })

const withPage = (state: ChoiceState, page: Page): ChoiceState => ({
  ...state,
  pages: state.pages.with(state.number, page),
})

export function unpointedChoice(state: ChoiceState): ChoiceState {
  const page = state.pages[state.number]
  return page && !page.words ? withPage(state, { ...page, at: nowhere }) : state
}

const labels = ({ ask, number }: ChoiceState, which: readonly number[]): string[] =>
  which.flatMap((i) => ask.questions[number]?.options[i]?.label ?? [])

function toggled(page: Page, at: number): Page {
  const { checked } = page
  const now = checked.includes(at) ? checked.filter((other) => other !== at) : [...checked, at]
  return { ...page, checked: now.toSorted((a, b) => a - b) }
}

export function choiceShown(state: ChoiceState, columns: number): Shown {
  const { ask, number, pages } = state
  const question = ask.questions[number]
  const page = pages[number]
  if (!question || !page) return { question: [], thing: [], notes: [], answers: [], hint: "" }
  const place = pages.length > 1 ? ` · question ${number + 1} of ${pages.length}` : ""
  const { words, at } = page
  const options = question.options.map(({ label, description }, i) => ({
    label: words && i === at ? `${forConsent(label)}, and:` : forConsent(label),
    about: forConsent(description),
    ...(question.multiSelect && { mark: page.checked.includes(i) ? ("on" as const) : ("off" as const) }),
  }))
  const own = question.takes === "an option" || options.length === 0 ? [] : [{ label: "Type your own answer" }]
  const typed = words ? wordRows(words, columns) : []
  return {
    question: question.question.split("\n").flatMap((line) => wrapped(bold(forConsent(line)), columns)),
    thing: [dim(`${forConsent(question.header)}${place}`)],
    notes: [],
    answers:
      options.length === 0
        ? typed
        : [...options, ...own].flatMap((option, i) => [
            ...menuRows([option], at, columns, i),
            ...(i === at ? typed : []),
          ]),
    hint: hintOf(state, page),
  }
}

function hintOf({ ask, number }: ChoiceState, { words, at }: Page): string {
  const question = ask.questions[number]
  const isFirst = number === 0
  if (words) {
    const isOpen = question?.options.length === 0
    return `Enter to send${isFirst ? "" : " · Shift+Tab for the previous question"} · Esc to ${isOpen ? "skip" : "go back"}`
  }
  return [
    ...(question?.multiSelect ? ["Space to check or uncheck"] : []),
    at === nowhere ? "↑/↓ or a number to answer" : "Enter to confirm",
    ...(question?.takes === undefined && at !== nowhere ? ["Tab to add words"] : []),
    ...(isFirst ? [] : ["← for the previous question"]),
    "Esc to skip",
  ].join(" · ")
}
