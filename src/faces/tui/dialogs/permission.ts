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
import { allowedParts, partEntry, type PartRule, partRules, withRule, withToggled } from "./part-rules.ts"
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
  /** Rules for parts of the command: as the person changed them, and whether they go with a yes that lasts. */
  readonly parts: readonly PartRule[]
}

export const openPermission = (ask: Ask): PermissionState => ({
  kind: "permission",
  ask,
  at: 0,
  words: undefined,
  rule: undefined,
  parts: partRules(ask),
})

type Choice =
  | { readonly kind: "yes"; readonly label: string }
  | { readonly kind: "always"; readonly label: string; readonly grant: Grant }
  | { readonly kind: "checked"; readonly label: string; readonly destination: GrantDestination }
  | { readonly kind: "part"; readonly label: string; readonly number: number }
  | { readonly kind: "no"; readonly label: string }
  | { readonly kind: "instead"; readonly label: string }

/** Only these are offered with one key; the others belong into settings, with a second thought. */
const offered: readonly GrantDestination[] = ["session", "local settings"]

function choicesOf({ ask, parts }: PermissionState): readonly Choice[] {
  const { suggestedRule: rule, destinations = [] } = ask
  const lasting = offered.flatMap((destination): readonly Choice[] => {
    if (!destinations.includes(destination)) return []
    const place = places[destination]
    if (rule !== undefined)
      return [{ kind: "always", label: `Yes, and allow ${bared(rule)} ${place}`, grant: { rule, destination } }]
    if (parts.length === 0) return []
    return [{ kind: "checked", label: `Yes, and don't ask again for the checked parts ${place}`, destination }]
  })
  return [
    { kind: "yes", label: "Yes" },
    ...lasting,
    { kind: "no", label: "No" },
    { kind: "instead", label: "No, and say what to do instead" },
    ...parts.map(({ text }, number): Choice => ({ kind: "part", label: bared(text), number })),
  ]
}

export function pressPermission(state: PermissionState, key: Key): Pressed<PermissionState> {
  if (state.words) return pressWords(state, state.words, key)
  if (state.rule) return pressInRule(state, state.rule, key)
  const choices = choicesOf(state)
  const name = key.kind === "key" ? key.name : key.text.toLowerCase()
  if (["escape", "n", "no"].includes(name)) return answered({ kind: "deny", interrupt: true })
  if (["y", "yes"].includes(name)) return answered({ kind: "allow" })
  const pointed = choices[state.at]
  if (name === "right" && pointed?.kind === "always")
    return goesOn({ ...state, rule: openRule(pointed.grant, state.ask.destinations ?? []) })
  if (name === "right" && pointed?.kind === "part") return goesOn(changingPart(state, pointed.number))
  if (name === " " && pointed?.kind === "part") return goesOn(toggled(state, pointed.number))
  const move = pressMenu(key, state.at, choices.length)
  const choice = choices[move.kind === "takes" ? move.at : -1]
  if (move.kind === "takes" && choice) return take({ ...state, at: move.at }, choice)
  // Whoever writes a sentence means it as an answer, and never as a yes.
  if (key.kind !== "key" && /\p{L}/u.test(key.text))
    return goesOn({
      ...state,
      at: choices.findIndex(({ kind }) => kind === "instead"),
      words: press(emptyEditor, key) ?? emptyEditor,
    })
  return goesOn(move.kind === "points" ? { ...state, at: move.at } : state)
}

function take(state: PermissionState, choice: Choice): Pressed<PermissionState> {
  switch (choice.kind) {
    case "yes":
      return answered({ kind: "allow" })
    case "always":
      return answered({ kind: "allow", grants: [choice.grant] })
    case "checked":
      return answered(allowedParts(state.parts, choice.destination))
    case "part":
      return goesOn(toggled(state, choice.number))
    case "no":
      return answered({ kind: "deny", interrupt: true })
    case "instead":
      return goesOn({ ...state, words: emptyEditor })
  }
}

function pressInRule(state: PermissionState, rule: RuleState, key: Key): Pressed<PermissionState> {
  const next = pressRule(rule, key)
  if (next === "given up") return goesOn({ ...state, rule: undefined })
  const pointed = choicesOf(state)[state.at]
  if ("rule" in next && pointed?.kind === "part")
    return goesOn({ ...state, rule: undefined, parts: withRule(state.parts, pointed.number, next.rule) })
  return "rule" in next ? answered({ kind: "allow", grants: [next] }) : goesOn({ ...state, rule: next })
}

const toggled = (state: PermissionState, number: number): PermissionState => ({
  ...state,
  parts: withToggled(state.parts, number),
})

/** The rule of a part is changed without its place: that is chosen with the answer. */
const changingPart = (state: PermissionState, number: number): PermissionState => ({
  ...state,
  rule: openRule({ rule: state.parts[number]?.rule ?? "", destination: "session" }, []),
})

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
    ...alarmRows(ask, columns),
    ...partRows(ask, columns),
    ...changeRows(ask, columns),
    ...(ask.risks ?? [])
      .filter((risk) => risk !== ask.alarm)
      .flatMap((risk) => wrapped(`! ${bared(risk)}`, columns).map(yellow)),
    // An alarm says why by itself.
    ...(ask.alarm === undefined ? wrapped(bared(ask.decision.message), columns).map(dim) : []),
  ]
}

const alarmRows = ({ alarm }: Ask, columns: number): string[] =>
  alarm === undefined ? [] : wrapped(`! ${bared(alarm)}`, columns).map((row) => bold(red(row)))

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
function partRows({ parts = [], alarm }: Ask, columns: number): string[] {
  if (parts.length < 2) return []
  return parts.flatMap(({ text, needsConsent, why }) =>
    wrapped(`${needsConsent ? "?" : "✓"} ${bared(text)}${why === alarm ? "" : `  ${bared(why)}`}`, columns - 2).map(
      (row) => (needsConsent ? `  ${yellow(row)}` : `  ${dim(row)}`),
    ),
  )
}

/** The answers there are, and below them the parts that a lasting one is for. */
export function permissionRows(state: PermissionState, columns: number): string[] {
  const { at, words, rule, parts } = state
  const choices = choicesOf(state)
  const answers = choices.filter(({ kind }) => kind !== "part")
  const rows = [
    ...menuRows(answers, at, columns),
    ...(words ? wordRows(words, columns) : []),
    ...(parts.length > 0 ? ["", dim("Don't ask again for:")] : []),
    ...menuRows(parts.map(partEntry), at, columns, answers.length),
  ]
  return rule ? [...rows, ...ruleRows(rule, columns)] : rows
}

export function permissionHint(state: PermissionState): string {
  const { at, words, rule } = state
  const pointed = choicesOf(state)[at]
  if (rule) return pointed?.kind === "part" ? "Enter to save the rule · Esc to go back" : ruleHint
  if (words) return "enter sends · esc goes back"
  if (pointed?.kind === "part") return "Space to check or uncheck · → to edit the rule · Esc to decline"
  if (pointed?.kind === "checked") return "Enter to allow and save · ↓ to choose the parts · Esc to decline"
  if (pointed?.kind === "always") return "enter allows · → changes the rule or where it is kept · esc no"
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
