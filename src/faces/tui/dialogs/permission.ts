/** The question whether a call may run: what is asked, the thing itself, why it is asked, and the answers. */

import type { GrantDestination } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { displayRows } from "#faces/tui/parts/display.ts"
import { bold, dim, isTinted, red, yellow } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { changeHeading } from "#faces/view/changed-tool.ts"
import {
  declined,
  declinedMember,
  instead,
  isInParts,
  leavingParts,
  partHead,
  type PermissionAsk,
  type PermissionChoice,
  permissionChoices,
  permissionLabel,
  questionText,
  reasonLine,
  riskSentences,
  thingLines,
} from "#faces/view/consent.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { menuRows, nowhere, pressMenu } from "./menu.ts"
import { allowedParts, partEntry, type PartRule, partRules, withRule, withToggled } from "./part-rules.ts"
import { answered, nameOf, type Pressed, staysOpen, unused } from "./pressed.ts"
import { nextPlace, openRule, pressRule, ruleHint, ruleRows, type RuleState } from "./rule.ts"
import type { Shown } from "./shown.ts"
import { wordRows } from "./words.ts"

export interface PermissionState {
  readonly kind: "permission"
  readonly ask: PermissionAsk
  /** The member of a team that asks. */
  readonly member?: string
  readonly at: number
  /** What goes with the answer that is pointed at, while it is typed. */
  readonly words: Editor | undefined
  /** What was typed last: whoever goes back to the answers finds it again. */
  readonly draft: Editor
  readonly rule: RuleState | undefined
  readonly parts: readonly PartRule[]
  readonly destination: GrantDestination
}

export const openPermission = (ask: PermissionAsk, member?: string): PermissionState => ({
  kind: "permission",
  ask,
  ...optional("member", member),
  at: 0,
  words: undefined,
  draft: emptyEditor,
  rule: undefined,
  parts: partRules(ask),
  destination: ask.destinations?.[0] ?? "session",
})

type PermissionRow = PermissionChoice | { readonly kind: "part"; readonly number: number }

const entriesOf = ({ ask, parts }: PermissionState): readonly PermissionRow[] => [
  ...permissionChoices(ask),
  ...parts.map((_, number): PermissionRow => ({ kind: "part", number })),
]

export function pressPermission(state: PermissionState, key: Key): Pressed<PermissionState> {
  if (state.words) return pressWords(state, state.words, key)
  if (state.rule) return pressInRule(state, state.rule, key)
  const entries = entriesOf(state)
  const pointed = entries[state.at]
  switch (nameOf(key)) {
    case "escape":
      return answered(state.member === undefined ? declined : declinedMember)
    case "ctrl+x":
      return state.member === undefined ? unused : answered(declined)
    case "shift+tab": {
      const mode = entries.find((entry) => entry.kind === "mode")
      return mode ? choose(state, mode) : unused
    }
    case "tab":
      if (pointed?.kind === "add rule" || pointed?.kind === "part") return staysOpen(opened(state, pointed))
      return staysOpen(pointed ? { ...state, words: state.draft } : writing(state))
    case "ctrl+e":
      return pointed?.kind === "rule" ? staysOpen(opened(state, pointed)) : unused
    case "left":
    case "right":
      if (pointed?.kind !== "rule" && pointed?.kind !== "parts") return unused
      return staysOpen(savedElsewhere(state, nameOf(key) === "right" ? 1 : -1))
  }
  if (key.kind === "text" && key.text === " " && pointed?.kind === "part")
    return staysOpen(toggled(state, pointed.number))
  const move = pressMenu(key, state.at, entries.length)
  if (move.kind === "points") return staysOpen({ ...state, at: move.at })
  const taken = move.kind === "takes" ? entries[move.at] : undefined
  return taken ? choose({ ...state, at: entries.indexOf(taken) }, taken) : unused
}

function choose(state: PermissionState, entry: PermissionRow): Pressed<PermissionState> {
  switch (entry.kind) {
    case "yes":
      return answered({ kind: "allow" })
    case "mode":
      return answered({ kind: "allow", mode: entry.mode })
    case "rule":
      return answered({ kind: "allow", grants: [{ rule: entry.rule, destination: state.destination }] })
    case "parts":
      return answered(allowedParts(state.parts, state.destination))
    case "part":
      return staysOpen(toggled(state, entry.number))
    case "add rule":
    case "no":
    case "keep":
      return staysOpen(opened(state, entry))
  }
}

function opened(state: PermissionState, entry: PermissionRow): PermissionState {
  const { ask, parts, destination } = state
  switch (entry.kind) {
    case "rule":
    case "add rule":
      return { ...state, rule: openRule({ rule: entry.rule, destination }, ask.destinations ?? []) }
    case "part":
      // Where it is saved is chosen with the answer.
      return { ...state, rule: openRule({ rule: parts[entry.number]?.rule ?? "", destination }, []) }
    case "keep":
      return writing(state, "keep")
    default:
      return writing(state)
  }
}

const writing = (state: PermissionState, answer: "no" | "keep" = "no"): PermissionState => ({
  ...state,
  at: entriesOf(state).findIndex(({ kind }) => kind === answer),
  words: state.draft,
})

const savedElsewhere = (state: PermissionState, by: number): PermissionState => ({
  ...state,
  destination: nextPlace({ destination: state.destination, destinations: state.ask.destinations ?? [] }, by),
})

const toggled = (state: PermissionState, number: number): PermissionState => ({
  ...state,
  parts: withToggled(state.parts, number),
})

function pressInRule(state: PermissionState, rule: RuleState, key: Key): Pressed<PermissionState> {
  const next = pressRule(rule, key)
  if (next === "given up") return staysOpen({ ...state, rule: undefined })
  if (!("rule" in next)) return staysOpen({ ...state, rule: next })
  const pointed = entriesOf(state)[state.at]
  if (pointed?.kind !== "part") return answered({ kind: "allow", grants: [next] })
  return staysOpen({ ...state, rule: undefined, parts: withRule(state.parts, pointed.number, next.rule) })
}

function pressWords(state: PermissionState, words: Editor, key: Key): Pressed<PermissionState> {
  switch (nameOf(key)) {
    case "escape":
      return staysOpen({ ...state, words: undefined, draft: words })
    case "enter":
      return answered(answerWith(state, fullText(words)))
    default:
      return staysOpen({ ...state, words: press(words, key) ?? words })
  }
}

function answerWith(state: PermissionState, words: string): Answer {
  const entry = entriesOf(state)[state.at]
  const plain = entry && entry.kind !== "part" ? choose({ ...state, words: undefined }, entry) : undefined
  if (plain?.kind === "answered" && plain.answer.kind === "allow")
    return { ...plain.answer, ...(words.trim() !== "" && { words }) }
  return { ...insteadOf(state, words), ...(entry?.kind === "keep" && { keep: true }) }
}

const insteadOf = ({ member }: PermissionState, words: string): Answer & { kind: "deny" } =>
  member !== undefined && words.trim() === "" ? declinedMember : instead(words)

export function permissionShown(state: PermissionState, columns: number): Shown {
  const { ask } = state
  const reason = reasonLine(ask)
  const thing = [...thingRows(ask, columns), ...changeRows(ask, columns)]
  return {
    question: wrapped(bold(forConsent(questionText(ask))), columns),
    thing,
    startsAt: Math.max(0, thing.findIndex(isTinted)),
    details: partRows(ask, columns),
    notes: [
      ...alarmRows(ask, columns),
      ...leavingParts(ask).flatMap(({ text, why }) =>
        wrapped(`! ${partHead(text)}: ${forConsent(why)}`, columns).map((row) => bold(red(row))),
      ),
      ...riskSentences(ask).flatMap((risk) => wrapped(`! ${forConsent(risk)}`, columns).map(yellow)),
      ...(reason === "" ? [] : wrapped(forConsent(reason), columns).map(dim)),
    ],
    answers: answerRows(state, columns),
    hint: hintOf(state),
  }
}

const alarmRows = ({ alarm }: PermissionAsk, columns: number): string[] =>
  alarm === undefined ? [] : wrapped(`! ${forConsent(alarm)}`, columns).map((row) => bold(red(row)))

function thingRows(ask: PermissionAsk, columns: number): readonly string[] {
  if (ask.display) return displayRows(ask.display, columns - 2, "full").map((row) => `  ${row}`)
  return thingLines(ask).flatMap((line) => wrapped(line, columns - 2).map((row) => `  ${marked(row)}`))
}

/** How the tool differs from the one that was allowed. */
function changeRows({ change }: PermissionAsk, columns: number): readonly string[] {
  if (!change) return []
  const rows = displayRows({ kind: "diff", ...change }, columns - 2, "full")
  return ["", ...wrapped(changeHeading(change), columns).map(yellow), ...rows.map((row) => `  ${row}`)]
}

/** Which parts of a compound command need consent, and which are already allowed. */
function partRows(ask: PermissionAsk, columns: number): string[] {
  const { parts = [], alarm } = ask
  if (!isInParts(ask)) return []
  return parts
    .filter(({ leaves }) => !leaves)
    .flatMap(({ text, needsConsent, why }) => {
      const row = `${needsConsent ? "?" : "✓"} ${partHead(text)}${why === alarm ? "" : `  ${forConsent(why)}`}`
      const color = needsConsent ? yellow : dim
      return wrapped(row, columns - 4).map((line, i) => `  ${i === 0 ? "" : "  "}${color(line)}`)
    })
}

function answerRows(state: PermissionState, columns: number): string[] {
  const { ask, at, words, rule, parts } = state
  const choices = permissionChoices(ask)
  const below = [...(words ? wordRows(words, columns) : []), ...(rule ? ruleRows(rule, columns) : [])]
  return [
    ...choices.flatMap((choice, i) => [
      ...menuRows([{ label: labelOf(choice, state, i === at), ...keyFor(choice) }], at, columns, i),
      ...(i === at ? below : []),
    ]),
    ...(parts.length > 0 ? ["", dim("Don't ask again for:")] : []),
    ...parts.flatMap((part, i) => [
      ...menuRows([partEntry(part)], at, columns, choices.length + i),
      ...(choices.length + i === at ? below : []),
    ]),
  ]
}

/** While words are typed, what they go with must not be mistaken. */
function labelOf(choice: PermissionChoice, { words, destination }: PermissionState, isPointed: boolean): string {
  const label = permissionLabel(choice, destination)
  return words && isPointed && choice.kind !== "no" && choice.kind !== "keep" ? `${label}, and tell the model:` : label
}

const keyFor = ({ kind }: PermissionChoice): { readonly key?: string } => (kind === "mode" ? { key: "Shift+Tab" } : {})

const hintOf = (state: PermissionState): string =>
  state.member === undefined || state.words || state.rule
    ? keysOf(state)
    : `${keysOf(state)} · Ctrl+X to stop ${forConsent(state.member)}`

function keysOf(state: PermissionState): string {
  const { at, words, rule } = state
  const pointed = entriesOf(state)[at]
  if (rule) return pointed?.kind === "part" ? "Enter to save the rule · Esc to go back" : ruleHint
  if (words) return "Enter to send · Esc to go back"
  if (at === nowhere) return "↑/↓ or a number to answer · Tab to add instructions · Esc to decline"
  switch (pointed?.kind) {
    case "part":
      return "Space to check or uncheck · Tab to edit the rule · Esc to decline"
    case "parts":
      return "Enter to confirm · ←/→ to save elsewhere · ↓ for the parts · Tab to add instructions · Esc to decline"
    case "rule":
      return "Enter to confirm · ←/→ to save elsewhere · Ctrl+E to edit it · Tab to add instructions · Esc to decline"
    case "add rule":
      return "Enter to review the rule · Esc to decline"
    default:
      return "Enter to confirm · Tab to add instructions · Esc to decline"
  }
}

/** Highlighted: they destroy, reach the network, or hide something. */
const dangerous =
  /<U\+[0-9A-F]{4,6}>|(?<![\w./-])(?:sudo|doas|su|rm|rmdir|shred|dd|mkfs[.\w]*|chmod|chown|kill|pkill|killall|eval|exec|curl|wget|nc|ssh|scp|rsync|shutdown|reboot)(?![\w./-])|(?<![\w-])(?:--force(?:-with-lease)?|--hard|--no-verify|-rf|-fr|-exec)(?![\w-])|\|\s*(?:ba|z|da)?sh(?!\w)|>{1,2}/g

const marked = (row: string): string => row.replace(dangerous, (word) => bold(red(word)))
