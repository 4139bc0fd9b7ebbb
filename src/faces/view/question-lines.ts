/** Questions as plain lines: the same words and the same numbers as on the screen. */

import type { AskingAgent } from "#agent/words/child.ts"
import { asChoices } from "#agent/words/elicitation.ts"
import { partRulesOf, type QuestionAsk } from "#agent/words/question.ts"
import { never } from "#lib/never.ts"
import { forConsent, forReview } from "#lib/printable.ts"
import { changeHeading } from "./changed-tool.ts"
import {
  isInParts,
  partHead,
  type PermissionAsk,
  type PermissionChoice,
  permissionChoices,
  permissionLabel,
  type PlanAsk,
  planChoices,
  planLabel,
  planQuestion,
  questionText,
  reasonLine,
  riskSentences,
  ruleWords,
  thingLines,
} from "./consent.ts"

/** With nothing hidden. */
export function questionLines(ask: QuestionAsk, agent?: AskingAgent): string {
  switch (ask.kind) {
    case "permission":
      return permissionLines(ask)
    case "choice":
      return ask.questions
        .map(({ question, options }) => {
          const list = options.map(({ label, description }) => `${forConsent(label)}${about(description)}`)
          return `? ${forConsent(question)}\n${numbered(list)}`
        })
        .join("")
    case "plan":
      return planLines(ask, agent)
    case "elicitation": {
      const choices = asChoices(ask)
      return choices ? questionLines(choices) : `? ${forConsent(ask.server)}: ${forConsent(ask.message)}\n`
    }
    default:
      return never(ask)
  }
}

const about = (description: string): string => (description === "" ? "" : `: ${forConsent(description)}`)

const permissionLines = (ask: PermissionAsk): string =>
  [
    `? ${permissionBody(ask)}`,
    numbered(permissionChoices(ask).map((choice) => permissionLabel(asRule(choice), "session"))),
    ...rememberLines(ask),
  ].join("")

/** What is asked, and all that speaks for or against it; without the answers. */
export function permissionBody(ask: PermissionAsk): string {
  const { alarm, change } = ask
  const reason = reasonLine(ask)
  const differs = change ? [changeHeading(change), ...change.hunks.flatMap(({ lines }) => lines.map(indent))] : []
  return [
    `${forConsent(questionText(ask))}\n`,
    indented(shownLines(ask), 4),
    indented(differs.map(forReview), 2),
    ...(alarm === undefined ? [] : [`  !!! ${forConsent(alarm)}\n`]),
    ...partLines(ask),
    ...riskSentences(ask).map((risk) => `  ! ${forConsent(risk)}\n`),
    ...(reason === "" ? [] : [`  ${forConsent(reason)}\n`]),
  ].join("")
}

/** A rule cannot be reviewed before it is saved here, so the answer names it. */
const asRule = (choice: PermissionChoice): PermissionChoice =>
  choice.kind === "add rule" ? { kind: "rule", rule: choice.rule } : choice

function shownLines(ask: PermissionAsk): readonly string[] {
  const { display } = ask
  if (display?.kind === "diff") return display.hunks.flatMap(({ lines }) => lines.map(forReview))
  if (display?.kind === "diffs")
    return display.files.flatMap(({ path, hunks }) => [path, ...hunks.flatMap(({ lines }) => lines)]).map(forReview)
  return thingLines(ask)
}

function partLines(ask: PermissionAsk): readonly string[] {
  if (!isInParts(ask)) return []
  return (ask.parts ?? []).map(({ text, needsConsent, why, leaves }) => {
    const reason = why === ask.alarm ? "" : `  (${forConsent(why)})`
    return `  ${leaves ? "!" : needsConsent ? "?" : "-"} ${partHead(text)}${reason}\n`
  })
}

function rememberLines(ask: PermissionAsk): readonly string[] {
  const at = permissionChoices(ask).findIndex(({ kind }) => kind === "rule" || kind === "add rule" || kind === "parts")
  if (at === -1) return []
  const number = at + 1
  const rules = ask.suggestedRule === undefined ? partRulesOf(ask) : []
  const letters = rules.map((rule, i) => `     ${partLetter(i)}. ${forConsent(ruleWords(rule))}\n`)
  const example = forConsent(ask.suggestedRule ?? rules[0] ?? "Bash(npm test:*)")
  const which = rules.length > 0 ? ` ${number} a for one of the parts,` : ""
  return [
    ...letters,
    `  After ${number}, say where to save it or which rule:${which} ${number} local, ${number} project or ${number} user, ${number} ${example}.\n`,
  ]
}

export const partLetter = (i: number): string => String.fromCharCode("a".charCodeAt(0) + i)

function planLines(ask: PlanAsk, agent: AskingAgent | undefined): string {
  const wishes = ask.wishes.map(
    ({ prompt, covers }) => `${forConsent(prompt)}: ${forConsent(covers ?? "allows nothing")}`,
  )
  return [
    `? ${planQuestion} ${forConsent(ask.path)}\n`,
    indented(forReview(ask.plan).split("\n"), 4),
    ...(wishes.length === 0 ? [] : ["  If you approve, these run without asking:\n", indented(wishes, 4)]),
    numbered(planChoices(ask).map(planLabel)),
    // An agent keeps the context it has.
    ...(agent ? [] : ["  Add fresh after the number to start with only the plan in context.\n"]),
  ].join("")
}

const numbered = (labels: readonly string[]): string => labels.map((label, i) => `  ${i + 1}. ${label}\n`).join("")
const indented = (lines: readonly string[], by: number): string =>
  lines.map((line) => `${" ".repeat(by)}${line}\n`).join("")
const indent = (line: string): string => `  ${line}`
