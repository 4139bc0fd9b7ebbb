/** The question whether a plan may be carried out: the plan, what it may run unasked, and how to go on. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { documentRows } from "#faces/tui/parts/markdown.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { bared, revealed } from "#lib/printable.ts"
import { type MenuEntry, menuRows, pressMenu } from "./menu.ts"
import { answered, edits, goesOn, type Pressed } from "./pressed.ts"
import { wordRows } from "./words.ts"

type Ask = QuestionAsk & { kind: "plan" }

export interface PlanState {
  readonly kind: "plan"
  readonly ask: Ask
  /** The plan as the person has changed it. */
  readonly changed: string | undefined
  readonly at: number
  /** Wishes that are not granted, by their place. */
  readonly unticked: readonly number[]
  /** Whether to go on with nothing but the plan. */
  readonly fresh: boolean
  /** What to change, while it is being written. */
  readonly words: Editor | undefined
}

export const openPlan = (ask: Ask): PlanState => ({
  kind: "plan",
  ask,
  changed: undefined,
  at: 0,
  unticked: ask.wishes.flatMap(({ covers }, i) => (covers === undefined ? [i] : [])),
  fresh: false,
  words: undefined,
})

/** The plan as it came back from the person's editor. */
export const withPlan = (state: PlanState, text: string): PlanState =>
  text.trim() === "" || text === (state.changed ?? state.ask.plan) ? state : { ...state, changed: text }

type Choice =
  | { readonly kind: "approve"; readonly mode: PermissionMode }
  | { readonly kind: "change" }
  | { readonly kind: "wish"; readonly number: number }
  | { readonly kind: "fresh" }

const modeWords: { readonly [mode in PermissionMode]: string } = {
  default: "Yes, and ask before each edit",
  acceptEdits: "Yes, and edit files without asking",
  plan: "Yes, and go on planning",
  dontAsk: "Yes, and refuse whatever would ask",
  auto: "Yes, and let it judge each call",
  bypassPermissions: "Yes, and permit everything",
}

function choicesOf({ modes, wishes }: Ask): readonly Choice[] {
  const offered = modes.filter((mode) => mode !== "plan")
  const ways: readonly PermissionMode[] = offered.length > 0 ? offered : ["acceptEdits", "default"]
  return [
    ...ways.map((mode): Choice => ({ kind: "approve", mode })),
    { kind: "change" },
    { kind: "fresh" },
    ...wishes.map((_, number): Choice => ({ kind: "wish", number })),
  ]
}

export function pressPlan(state: PlanState, key: Key): Pressed<PlanState> {
  if (state.words) return pressWords(state, state.words, key)
  const choices = choicesOf(state.ask)
  const name = key.kind === "key" ? key.name : ""
  if (name === "escape") return answered({ kind: "deny", interrupt: true, ...changedPlan(state) })
  if (name === "ctrl+g") return edits(state.changed ?? state.ask.plan)
  const space = key.kind === "text" && key.text === " "
  const move = space ? ({ kind: "takes", at: state.at } as const) : pressMenu(key, state.at, choices.length)
  const choice = choices[move.kind === "takes" ? move.at : -1]
  // A space ticks; it never approves.
  if (space && choice?.kind !== "wish" && choice?.kind !== "fresh") return goesOn(state)
  if (move.kind === "takes" && choice) return take({ ...state, at: move.at }, choice)
  // Whoever writes a sentence says what to change.
  if (key.kind !== "key" && /\p{L}/u.test(key.text)) return goesOn(writing(state, press(emptyEditor, key)))
  return goesOn(move.kind === "points" ? { ...state, at: move.at } : state)
}

const writing = (state: PlanState, words: Editor | undefined): PlanState => ({
  ...state,
  at: choicesOf(state.ask).findIndex(({ kind }) => kind === "change"),
  words: words ?? emptyEditor,
})

function take(state: PlanState, choice: Choice): Pressed<PlanState> {
  switch (choice.kind) {
    case "approve":
      return answered(approval(state, choice.mode))
    case "change":
      return goesOn(writing(state, undefined))
    case "fresh":
      return goesOn({ ...state, fresh: !state.fresh })
    case "wish":
      return goesOn(ticked(state, choice.number))
  }
}

function approval(state: PlanState, mode: PermissionMode): Answer {
  const { ask, unticked, fresh } = state
  const wishes = ask.wishes.filter((_, i) => !unticked.includes(i)).map(({ prompt }) => prompt)
  return {
    kind: "approve",
    mode,
    wishes,
    ...changedPlan(state),
    ...(fresh && { fresh }),
  }
}

/** A wish that would grant nothing stays as it is. */
function ticked(state: PlanState, number: number): PlanState {
  if (state.ask.wishes[number]?.covers === undefined) return state
  const { unticked } = state
  return {
    ...state,
    unticked: unticked.includes(number) ? unticked.filter((other) => other !== number) : [...unticked, number],
  }
}

function pressWords(state: PlanState, words: Editor, key: Key): Pressed<PlanState> {
  const name = key.kind === "key" ? key.name : ""
  if (name === "escape") return goesOn({ ...state, words: undefined })
  if (name !== "enter") return goesOn({ ...state, words: press(words, key) ?? words })
  const text = fullText(words).trim()
  return text === "" ? goesOn(state) : answered({ kind: "deny", words: text, interrupt: false, ...changedPlan(state) })
}

/** What the person wrote into the plan is theirs, whatever they answer. */
const changedPlan = ({ changed }: PlanState): { readonly plan?: string } =>
  changed === undefined ? {} : { plan: changed }

/** The whole plan, with whatever hides in it made visible: it is consented to. */
export function planBody({ ask, changed }: PlanState, columns: number): string[] {
  const where = `${bared(ask.path)}${changed === undefined ? "" : ", as you changed it"}`
  const plan = documentRows(revealed(changed ?? ask.plan), columns)
  return [
    ...wrapped(`${bold("The plan is ready.")} ${dim(where)}`, columns),
    "",
    ...(plan.length > 0 ? plan : [dim("(the plan is empty)")]),
  ]
}

/** The answers there are, and below them what goes with a yes. */
export function planRows(state: PlanState, columns: number): string[] {
  const { ask, at, words } = state
  const entries = choicesOf(ask).map((choice) => entryOf(choice, state))
  const answers = entries.filter(({ mark }) => mark === undefined)
  return [
    ...menuRows(answers, at, columns),
    ...(words ? wordRows(words, columns) : []),
    "",
    dim("With a yes:"),
    ...menuRows(entries.slice(answers.length), at, columns, answers.length),
  ]
}

function entryOf(choice: Choice, { ask, unticked, fresh }: PlanState): MenuEntry {
  switch (choice.kind) {
    case "approve":
      return { label: modeWords[choice.mode] }
    case "change":
      return { label: "No, and say what to change" }
    case "fresh":
      return { label: "Start fresh: forget all but the plan", mark: fresh ? "on" : "off" }
    case "wish": {
      const { prompt = "", covers } = ask.wishes[choice.number] ?? {}
      const label = `Without asking: ${bared(prompt)}`
      if (covers === undefined) return { label, about: "not understood, so it grants nothing", mark: "off" }
      return { label, about: bared(covers), mark: unticked.includes(choice.number) ? "off" : "on" }
    }
  }
}

export const planHint = ({ words }: PlanState): string =>
  words ? "enter sends · esc goes back" : "enter or a number answers · space ticks · ctrl+g edits the plan · esc stops"
