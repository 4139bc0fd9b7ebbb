/** The question whether a plan is carried out: the plan, the answers, and what goes with a yes. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { documentRows } from "#faces/tui/parts/markdown.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { instead, type PlanAsk, type PlanChoice, planChoices, planLabel, planQuestion } from "#faces/view/consent.ts"
import { forConsent, forReview } from "#lib/printable.ts"
import { type MenuEntry, menuRows, nowhere, pressMenu } from "./menu.ts"
import { answered, edits, nameOf, type Pressed, staysOpen, unused } from "./pressed.ts"
import type { Shown } from "./shown.ts"
import { wordRows } from "./words.ts"

export interface PlanState {
  readonly kind: "plan"
  readonly ask: PlanAsk
  /** As the user writes it. */
  readonly path: string
  /** An agent keeps the context it has. */
  readonly by: "main" | "agent"
  readonly edited: string | undefined
  readonly at: number
  /** Indexes of wishes that are not granted. */
  readonly unchecked: readonly number[]
  readonly fresh: boolean
  /** What goes with the answer that is pointed at, while it is typed. */
  readonly words: Editor | undefined
  /** What was typed last: whoever goes back to the answers finds it again. */
  readonly draft: Editor
}

export const openPlan = (ask: PlanAsk, path: string, by: PlanState["by"]): PlanState => ({
  kind: "plan",
  ask,
  path,
  by,
  edited: undefined,
  at: 0,
  unchecked: ask.wishes.flatMap(({ covers }, i) => (covers === undefined ? [i] : [])),
  fresh: false,
  words: undefined,
  draft: emptyEditor,
})

export const withPlan = (state: PlanState, text: string): PlanState =>
  text.trim() === "" || text === (state.edited ?? state.ask.plan) ? state : { ...state, edited: text }

type PlanRow = PlanChoice | { readonly kind: "wish"; readonly number: number } | { readonly kind: "fresh" }

const entriesOf = ({ ask, by }: PlanState): readonly PlanRow[] => [
  ...planChoices(ask),
  ...(by === "main" ? [{ kind: "fresh" } as const] : []),
  ...ask.wishes.map((_, number): PlanRow => ({ kind: "wish", number })),
]

export function pressPlan(state: PlanState, key: Key): Pressed<PlanState> {
  if (state.words) return pressWords(state, state.words, key)
  const entries = entriesOf(state)
  switch (nameOf(key)) {
    case "escape":
      return answered({ kind: "deny", interrupt: true, ...editedPlan(state) })
    case "ctrl+g":
      return edits(state.edited ?? state.ask.plan)
    case "tab":
      return staysOpen(entries[state.at]?.kind === "approve" ? { ...state, words: state.draft } : writing(state))
  }
  const pointed = entries[state.at]
  const isSpace = key.kind === "text" && key.text === " "
  // A space checks; it never approves.
  if (isSpace && (pointed?.kind === "fresh" || pointed?.kind === "wish")) return choose(state, pointed)
  const move = pressMenu(key, state.at, entries.length)
  if (move.kind === "points") return staysOpen({ ...state, at: move.at })
  const taken = move.kind === "takes" ? entries[move.at] : undefined
  return taken ? choose({ ...state, at: entries.indexOf(taken) }, taken) : unused
}

const writing = (state: PlanState): PlanState => ({
  ...state,
  at: entriesOf(state).findIndex(({ kind }) => kind === "change"),
  words: state.draft,
})

function choose(state: PlanState, entry: PlanRow): Pressed<PlanState> {
  switch (entry.kind) {
    case "approve":
      return answered(approval(state, entry.mode))
    case "change":
      return staysOpen(writing(state))
    case "fresh":
      return staysOpen({ ...state, fresh: !state.fresh })
    case "wish":
      return staysOpen(toggled(state, entry.number))
  }
}

function approval(state: PlanState, mode: PermissionMode): Answer {
  const { ask, unchecked, fresh } = state
  const wishes = ask.wishes.filter((_, i) => !unchecked.includes(i)).map(({ prompt }) => prompt)
  return { kind: "approve", mode, wishes, ...editedPlan(state), ...(fresh && { fresh }) }
}

/** A wish that would grant nothing cannot be toggled. */
function toggled(state: PlanState, number: number): PlanState {
  if (state.ask.wishes[number]?.covers === undefined) return state
  const { unchecked } = state
  return {
    ...state,
    unchecked: unchecked.includes(number) ? unchecked.filter((other) => other !== number) : [...unchecked, number],
  }
}

function pressWords(state: PlanState, words: Editor, key: Key): Pressed<PlanState> {
  switch (nameOf(key)) {
    case "escape":
      return staysOpen({ ...state, words: undefined, draft: words })
    case "enter":
      return answered(answerWith(state, fullText(words)))
    default:
      return staysOpen({ ...state, words: press(words, key) ?? words })
  }
}

function answerWith(state: PlanState, words: string): Answer {
  const entry = entriesOf(state)[state.at]
  return entry?.kind === "approve"
    ? { ...approval(state, entry.mode), ...(words.trim() !== "" && { words }) }
    : { ...instead(words), ...editedPlan(state) }
}

/** The user's edits are kept whatever the answer. */
const editedPlan = ({ edited }: PlanState): { readonly plan?: string } => (edited === undefined ? {} : { plan: edited })

/** While words are typed, what they go with must not be mistaken. */
const labelOf = (choice: PlanChoice, isWriting: boolean): string =>
  isWriting && choice.kind === "approve" ? `${planLabel(choice)}, and tell the model:` : planLabel(choice)

export function planShown(state: PlanState, columns: number): Shown {
  const { ask, path, edited, at, words } = state
  // It is consented to, so whatever hides in it is made visible.
  const plan = documentRows(forReview(edited ?? ask.plan), columns)
  const entries = entriesOf(state)
  const answers = entries.filter((entry) => entry.kind === "approve" || entry.kind === "change")
  return {
    question: wrapped(
      `${bold(planQuestion)} ${dim(`${forConsent(path)}${edited === undefined ? "" : ", edited by you"}`)}`,
      columns,
    ),
    thing: plan.length > 0 ? ["", ...plan] : ["", dim("(the plan is empty)")],
    notes: [],
    answers: [
      ...answers.flatMap((choice, i) => [
        ...menuRows([{ label: labelOf(choice, words !== undefined && i === at) }], at, columns, i),
        ...(words && i === at ? wordRows(words, columns) : []),
      ]),
      ...(entries.length > answers.length ? ["", dim("If you approve:")] : []),
      ...menuRows(
        entries.slice(answers.length).map((entry) => checkbox(entry, state)),
        at,
        columns,
        answers.length,
      ),
    ],
    hint: hintOf(state),
  }
}

function checkbox(entry: PlanRow, { ask, unchecked, fresh }: PlanState): MenuEntry {
  if (entry.kind !== "wish") return { label: "Start with a fresh context (only the plan)", mark: fresh ? "on" : "off" }
  const { prompt = "", covers } = ask.wishes[entry.number] ?? {}
  const label = `Don't ask before: ${forConsent(prompt)}`
  if (covers === undefined) return { label, about: "not understood; allows nothing", mark: "off" }
  return { label, about: forConsent(covers), mark: unchecked.includes(entry.number) ? "off" : "on" }
}

function hintOf(state: PlanState): string {
  const { at, words } = state
  if (words) return "Enter to send · Esc to go back"
  const pointed = entriesOf(state)[at]
  const isBox = pointed?.kind === "wish" || pointed?.kind === "fresh"
  const first = isBox ? "Space to check or uncheck" : at === nowhere ? "↑/↓ or a number to answer" : "Enter to confirm"
  return `${first} · Tab to add instructions · Ctrl+G to edit the plan · Esc to cancel`
}
