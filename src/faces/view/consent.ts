/** What a question about a call asks, and the answers it has: the same words and the same order on every face. */

import { isEdit } from "#agent/words/footprint.ts"
import { isReview } from "#agent/words/gates.ts"
import type { GrantDestination, PermissionMode } from "#agent/words/permission.ts"
import { type Answer, partRulesOf, type QuestionAsk, type QuestionPart } from "#agent/words/question.ts"
import { durationText } from "#lib/figures.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { sentence } from "#lib/sentence.ts"

export type PermissionAsk = QuestionAsk & { readonly kind: "permission" }
export type PlanAsk = QuestionAsk & { readonly kind: "plan" }

export type PermissionChoice =
  | { readonly kind: "yes" }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  | { readonly kind: "rule"; readonly rule: string }
  /** As above, in modes where a mode is the usual answer: the rule is reviewed before it is saved. */
  | { readonly kind: "add rule"; readonly rule: string }
  /** Parts of a command, each with its own rule. */
  | { readonly kind: "parts" }
  | { readonly kind: "no" }
  /** In a review: a no that leaves the new files where they are. */
  | { readonly kind: "keep" }

export function permissionChoices(ask: PermissionAsk): readonly PermissionChoice[] {
  const mode = isEdit(ask.footprint) ? ask.suggestions?.mode : undefined
  return [
    { kind: "yes" },
    ...(mode === undefined ? [] : [{ kind: "mode", mode } as const]),
    ...lasting(ask, mode === undefined ? "rule" : "add rule"),
    { kind: "no" },
    ...(isReview(ask) ? [{ kind: "keep" } as const] : []),
    // Last, so that no other answer changes its number.
    ...(mode === undefined && ask.auto ? [{ kind: "mode", mode: "auto" } as const] : []),
  ]
}

function lasting(ask: PermissionAsk, kind: "rule" | "add rule"): readonly PermissionChoice[] {
  const { suggestedRule: rule, destinations = [] } = ask
  if (destinations.length === 0) return []
  if (rule !== undefined) return [{ kind, rule }]
  return partRulesOf(ask).length > 0 ? [{ kind: "parts" }] : []
}

export function permissionLabel(choice: PermissionChoice, destination: GrantDestination): string {
  switch (choice.kind) {
    case "yes":
      return "Yes"
    case "mode":
      return choice.mode === "auto" ? "Yes, and switch to auto mode" : "Yes, and accept all edits this session"
    case "rule":
      return `Yes, and don't ask again for ${forConsent(ruleWords(choice.rule))} in ${places[destination]}`
    case "add rule":
      return "Yes, and add a rule…"
    case "parts":
      return `Yes, and don't ask again for the checked parts in ${places[destination]}`
    case "no":
      return "No, tell the model what to do differently"
    case "keep":
      return "No, but keep what is new and tell the model what to change"
  }
}

export const places: { readonly [destination in GrantDestination]: string } = {
  session: "this session",
  "local settings": "this project",
  "project settings": "this project, for everyone",
  "user settings": "all projects",
}

/** Without the notation that settings need. */
export function ruleWords(rule: string): string {
  const [, tool = "", content = ""] = /^(\w+)\((.*)\)$/s.exec(rule) ?? []
  switch (tool) {
    case "Bash":
      return content
    case "Read":
      return `reading ${plainPath(content)}`
    case "Edit":
      return `edits to ${plainPath(content)}`
    case "WebFetch":
      return content.replace(/^domain:/, "")
    case "Skill":
      return `the skill ${content}`
    default:
      return rule
  }
}

/** `//etc/hosts` is absolute, `./src` is relative to the working folder; a backslash escapes pattern characters. */
const plainPath = (pattern: string): string =>
  pattern
    .replace(/^\/\//, "/")
    .replace(/^\.\//, "")
    .replace(/\\([*?[\]\\])/g, "$1")

export const questionText = ({ question, title }: PermissionAsk): string => question ?? `Allow ${title}?`

/** With its line breaks: a command as written, otherwise the whole input of the tool. */
export function thingLines({ input, footprint, tool }: PermissionAsk): readonly string[] {
  const { command } = input
  if (footprint.runs.length > 0 && typeof command === "string") {
    const { says, notes } = commandNotes(input)
    return [
      ...command.trimEnd().split("\n").map(forConsent),
      ...(says === undefined ? [] : [saysWords(says)]),
      ...notes.map((note) => `(${note})`),
    ]
  }
  const fields = Object.entries(input)
  const [only] = fields.map(([, value]) => value)
  // What there is only one of needs no name, unless the tool is a server's and nobody knows what it takes.
  if (fields.length === 1 && typeof only === "string" && !tool.startsWith("mcp__"))
    return only.split("\n").map(forConsent)
  return fields.flatMap(([name, value]) => field(name, value))
}

export interface CommandNotes {
  /** What the model says that the command does: its own words, in one line. */
  readonly says?: string
  /** How it would be run, as phrases. */
  readonly notes: readonly string[]
  /** What else there is in the input, as it is. */
  readonly rest: JsonObject
}

/** What the input of Bash has besides the command, in words. */
export function commandNotes({ command: _command, ...input }: JsonObject): CommandNotes {
  // That it leaves the sandbox is said by the question and its risks.
  const { description, timeout, run_in_background, dangerouslyDisableSandbox: _leaves, ...rest } = input
  const says = typeof description === "string" ? description.replace(/\s+/g, " ").trim() : ""
  return {
    ...(says !== "" && { says: forConsent(says) }),
    notes: [
      ...(run_in_background === true ? ["runs in the background"] : []),
      ...(typeof timeout === "number" ? [`stopped after ${durationText(timeout)}`] : []),
    ],
    rest,
  }
}

/** Whoever reads it must know that nobody has checked it. */
export const saysWords = (says: string): string => `The model says: ${says}`

function field(name: string, value: JsonValue): readonly string[] {
  if (typeof value !== "string") return [`${forConsent(name)}: ${forConsent(JSON.stringify(value))}`]
  if (!value.includes("\n")) return [`${forConsent(name)}: ${forConsent(value)}`]
  return [`${forConsent(name)}:`, ...value.split("\n").map((line) => `  ${forConsent(line)}`)]
}

/** Leaves out what the alarm or a part of the command already says. */
export function riskSentences(ask: PermissionAsk): readonly string[] {
  const { risks = [], alarm, parts = [] } = ask
  const saidOf = isInParts(ask) ? parts.map(({ why }) => plain(why)) : []
  return risks.filter((risk) => risk !== alarm && !saidOf.includes(plain(risk))).map(sentence)
}

/** For comparison: parts are described by phrases, risks by sentences. */
const plain = (text: string): string => text.replace(/\.$/, "").toLowerCase()

/** Why it is asked and whether it can be undone; empty if the rest says so. */
export function reasonLine(ask: PermissionAsk): string {
  const { alarm, why, decision, question } = ask
  const undo = undoWords(ask)
  if (alarm !== undefined) return undo
  // Questions of earlier versions have nothing but the message.
  const reason = question === undefined ? decision.message : (why ?? "")
  return [reason, undo].filter((words) => words !== "").join(" ")
}

function undoWords({ undo }: PermissionAsk): string {
  return undo === undefined ? "" : undo === "rewind" ? "Can be undone with /rewind." : "Cannot be undone."
}

/** They are only given where there are several, or where one starts another. */
export const isInParts = ({ parts = [] }: PermissionAsk): boolean => parts.length > 0

const longestHead = 48

/** The beginning of a part: the command itself is shown whole. What it starts is named. */
export function partHead(text: string): string {
  const [first = "", ...more] = text.trim().split("\n")
  if (more.length === 0 && first.length <= longestHead) return forConsent(first)
  const [, flag, program] = /\s(-exec|-execdir|-ok|-okdir)\s+(\S+)/.exec(first) ?? []
  const name = first.split(/\s/, 1)[0] ?? ""
  if (flag !== undefined && program !== undefined)
    return forConsent(`${name} … ${flag} ${program} …`.slice(0, longestHead))
  const cut = first.slice(0, longestHead)
  const end = first.length > longestHead ? cut.lastIndexOf(" ") : -1
  return `${forConsent(end > 0 ? cut.slice(0, end) : cut).toWellFormed()} …`
}

/** Parts that send something away are said with the risks, so that they are always in sight. */
export const leavingParts = (ask: PermissionAsk): readonly QuestionPart[] =>
  isInParts(ask) ? (ask.parts ?? []).filter(({ leaves }) => leaves) : []

export type PlanChoice = { readonly kind: "approve"; readonly mode: PermissionMode } | { readonly kind: "change" }

/** The first three never change places, whatever mode planning started in. */
export function planChoices({ modes }: PlanAsk): readonly PlanChoice[] {
  const offered: readonly PermissionMode[] = modes.filter((mode) => mode !== "plan")
  const isOffered = (mode: PermissionMode): boolean => offered.length === 0 || offered.includes(mode)
  const usual: readonly PermissionMode[] = ["acceptEdits", "default"]
  const approve = (mode: PermissionMode): PlanChoice => ({ kind: "approve", mode })
  return [
    ...usual.filter(isOffered).map(approve),
    { kind: "change" },
    ...offered
      .filter((mode) => !usual.includes(mode))
      .toSorted()
      .map(approve),
  ]
}

export const planQuestion = "Approve this plan?"

export const planLabel = (choice: PlanChoice): string =>
  choice.kind === "change" ? "No, tell the model what to change" : planModes[choice.mode]

const planModes: { readonly [mode in PermissionMode]: string } = {
  acceptEdits: "Yes, and accept edits",
  default: "Yes, and ask before each edit",
  plan: "Yes, and keep planning",
  delegate: "Yes, and let agents do it",
  dontAsk: "Yes, and deny unless allowed",
  auto: "Yes, in auto mode",
  bypassPermissions: "Yes, and bypass permissions",
}

/** Without words: the turn ends and the user speaks next. */
export const declined: Answer = { kind: "deny", interrupt: true }

/** A member of a team is told no and continues: nobody sits in front of it to speak next. */
export const declinedMember: Answer & { readonly kind: "deny" } = { kind: "deny", interrupt: false }

export const instead = (words: string): Answer & { readonly kind: "deny" } =>
  words.trim() === "" ? { kind: "deny", interrupt: true } : { kind: "deny", words: words.trim(), interrupt: false }
