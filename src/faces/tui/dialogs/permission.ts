/** The question whether a call may run: all of what it would do, why it asks, and the answers there are. */

import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { JsonValue } from "#lib/json.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { displayRows } from "#faces/tui/parts/display.ts"
import { bold, dim, red, yellow } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { menuRows, pressMenu } from "./menu.ts"
import { changeHeading } from "#faces/view/changed-tool.ts"
import { answered, goesOn, type Pressed } from "./pressed.ts"
import { openRule, places, pressRule, ruleHint, ruleRows, type RuleState } from "./rule.ts"
import { wordRows } from "./words.ts"
import { bared } from "#lib/printable.ts"

type Ask = QuestionAsk & { kind: "permission" }

export interface PermissionState {
  readonly kind: "permission"
  readonly ask: Ask
  readonly at: number
  /** What to do instead, while it is being written. */
  readonly words: Editor | undefined
  /** The rule to keep, while it is being changed. */
  readonly rule: RuleState | undefined
}

export const openPermission = (ask: Ask): PermissionState => ({
  kind: "permission",
  ask,
  at: 0,
  words: undefined,
  rule: undefined,
})

type Choice =
  | { readonly kind: "yes"; readonly label: string }
  | { readonly kind: "always"; readonly label: string; readonly grant: Grant }
  | { readonly kind: "no"; readonly label: string }
  | { readonly kind: "instead"; readonly label: string }

/** Only these are offered with one key; the others belong into settings, with a second thought. */
const offered: readonly GrantDestination[] = ["session", "local settings"]

function choicesOf({ suggestedRule: rule, destinations = [] }: Ask): readonly Choice[] {
  const always = offered.flatMap((destination): readonly Choice[] => {
    if (rule === undefined || !destinations.includes(destination)) return []
    const label = `Yes, and allow ${bared(rule)} ${places[destination]}`
    return [{ kind: "always", label, grant: { rule, destination } }]
  })
  return [
    { kind: "yes", label: "Yes" },
    ...always,
    { kind: "no", label: "No" },
    { kind: "instead", label: "No, and say what to do instead" },
  ]
}

export function pressPermission(state: PermissionState, key: Key): Pressed<PermissionState> {
  if (state.words) return pressWords(state, state.words, key)
  if (state.rule) return pressInRule(state, state.rule, key)
  const choices = choicesOf(state.ask)
  const name = key.kind === "key" ? key.name : key.text.toLowerCase()
  if (["escape", "n", "no"].includes(name)) return answered({ kind: "deny", interrupt: true })
  if (["y", "yes"].includes(name)) return answered({ kind: "allow" })
  const pointed = choices[state.at]
  if (name === "right" && pointed?.kind === "always")
    return goesOn({ ...state, rule: openRule(pointed.grant, state.ask.destinations ?? []) })
  const move = pressMenu(key, state.at, choices.length)
  const choice = choices[move.kind === "takes" ? move.at : -1]
  if (move.kind === "takes" && choice) return take({ ...state, at: move.at }, choice)
  // Whoever writes a sentence means it as an answer, and never as a yes.
  if (key.kind !== "key" && /\p{L}/u.test(key.text))
    return goesOn({ ...state, at: choices.length - 1, words: press(emptyEditor, key) ?? emptyEditor })
  return goesOn(move.kind === "points" ? { ...state, at: move.at } : state)
}

function take(state: PermissionState, choice: Choice): Pressed<PermissionState> {
  switch (choice.kind) {
    case "yes":
      return answered({ kind: "allow" })
    case "always":
      return answered({ kind: "allow", grants: [choice.grant] })
    case "no":
      return answered({ kind: "deny", interrupt: true })
    case "instead":
      return goesOn({ ...state, words: emptyEditor })
  }
}

function pressInRule(state: PermissionState, rule: RuleState, key: Key): Pressed<PermissionState> {
  const next = pressRule(rule, key)
  if (next === "given up") return goesOn({ ...state, rule: undefined })
  return "rule" in next ? answered({ kind: "allow", grants: [next] }) : goesOn({ ...state, rule: next })
}

function pressWords(state: PermissionState, words: Editor, key: Key): Pressed<PermissionState> {
  const name = key.kind === "key" ? key.name : ""
  if (name === "escape") return goesOn({ ...state, words: undefined })
  if (name !== "enter") return goesOn({ ...state, words: press(words, key) ?? words })
  const text = fullText(words).trim()
  return text === "" ? goesOn(state) : answered({ kind: "deny", words: text, interrupt: false })
}

/** What the person consents to, whole. */
export function permissionBody({ ask }: PermissionState, columns: number): string[] {
  return [
    ...wrapped(bold(bared(ask.title)), columns),
    ...shownRows(ask, columns - 2).map((row) => (row === "" ? "" : `  ${row}`)),
    ...partRows(ask, columns),
    ...changeRows(ask, columns),
    ...(ask.risks ?? []).flatMap((risk) => wrapped(`! ${bared(risk)}`, columns).map(yellow)),
    ...wrapped(bared(ask.decision.message), columns).map(dim),
  ]
}

/** What it would do, where it can be drawn; otherwise everything the tool was given. */
function shownRows({ display, input }: Ask, columns: number): string[] {
  if (display) return [...displayRows(display, columns, "full"), ""]
  const fields = Object.entries(input).flatMap(([name, value]) => field(name, value))
  return fields.flatMap((line) => wrapped(line, columns).map(marked))
}

/** What became of a tool since it was allowed: the answer is about what it is now. */
function changeRows({ change }: Ask, columns: number): string[] {
  if (!change) return []
  const rows = displayRows({ kind: "diff", ...change }, columns - 2, "full")
  return [...wrapped(changeHeading(change), columns).map(yellow), ...rows.map((row) => `  ${row}`)]
}

/** Of a compound command, which parts wait for consent and which are covered already. */
function partRows({ parts = [] }: Ask, columns: number): string[] {
  if (parts.length < 2) return []
  return parts.flatMap(({ text, needsConsent, why }) =>
    wrapped(`${needsConsent ? "?" : "✓"} ${bared(text)}  ${bared(why)}`, columns - 2).map((row) =>
      needsConsent ? `  ${yellow(row)}` : `  ${dim(row)}`,
    ),
  )
}

/** The answers there are. */
export function permissionRows({ ask, at, words, rule }: PermissionState, columns: number): string[] {
  const rows = menuRows(choicesOf(ask), at, columns)
  if (rule) return [...rows, ...ruleRows(rule, columns)]
  return words ? [...rows, ...wordRows(words, columns)] : rows
}

export function permissionHint({ ask, at, words, rule }: PermissionState): string {
  if (rule) return ruleHint
  if (words) return "enter sends · esc goes back"
  if (choicesOf(ask)[at]?.kind === "always") return "enter allows · → changes the rule or where it is kept · esc no"
  return "enter or a number answers · y yes · n or esc no · or write what to do instead"
}

function field(name: string, value: JsonValue): readonly string[] {
  if (typeof value !== "string") return [`${bared(name)}: ${bared(JSON.stringify(value))}`]
  if (!value.includes("\n")) return [`${bared(name)}: ${bared(value)}`]
  return [`${bared(name)}:`, ...value.split("\n").map((line) => `  ${bared(line)}`)]
}

/** Words that people should stop at: they destroy, reach out, or hide something. */
const dangerous =
  /<U\+[0-9A-F]{4,6}>|(?<![\w./-])(?:sudo|doas|su|rm|rmdir|shred|dd|mkfs[.\w]*|chmod|chown|kill|pkill|killall|eval|exec|curl|wget|nc|ssh|scp|rsync|shutdown|reboot)(?![\w./-])|(?<![\w-])(?:--force(?:-with-lease)?|--hard|--no-verify|-rf|-fr|-exec)(?![\w-])|\|\s*(?:ba|z|da)?sh(?!\w)|>{1,2}/g

const marked = (row: string): string => row.replace(dangerous, (word) => bold(red(word)))
