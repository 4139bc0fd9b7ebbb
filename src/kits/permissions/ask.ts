/** The question about a call: everything the user must see before they consent. */

import type { Display, FileDiff } from "#agent/words/display.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Decision, GrantDestination, PermissionMode } from "#agent/words/permission.ts"
import type { QuestionAsk, QuestionPart, Suggestions } from "#agent/words/question.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import type { ExcludedFolder } from "#ground/workspace/excluded-folders.ts"
import { optional } from "#lib/optional.ts"
import type { JudgedCall } from "./call.ts"
import { criticalReason, destroyersIn, isCritical, risksOf } from "./danger.ts"
import { excludedByCall, excludedWords } from "./excluded-from-undo.ts"
import { explanationOf, risksIn } from "./explain-call.ts"
import { lossWords } from "./loss-words.ts"
import { outgoingOf } from "./outgoing.ts"
import { type CommandPart, partsOf } from "./parts.ts"
import { partWords, questionWords, startsIn, whyWords } from "./question-words.ts"
import { type PermissionRule, ruleText } from "./rules/rule.ts"
import { partRules, suggestRule } from "./rules/suggest.ts"

export interface Asking {
  readonly call: Call
  readonly cwd: string
  readonly judged: JudgedCall
  readonly decision: Decision
  readonly rules: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly destinations: readonly GrantDestination[]
  readonly risks: readonly AtRiskWords[]
  readonly display: Display | undefined
  readonly change: FileDiff | undefined
  readonly suggestions: Suggestions
  readonly hasAuto: boolean
  /** Folders that a setting excludes from undo. */
  readonly exclusions: readonly ExcludedFolder[]
}

export interface AtRiskWords {
  readonly text: string
  readonly part?: string
}

const sentenceOf = ({ text, part }: AtRiskWords): string =>
  part === undefined ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

export function permissionQuestion(asking: Asking): QuestionAsk {
  const { call, cwd, judged, decision, rules, mode, destinations, risks, display, change, suggestions, exclusions } =
    asking
  const { tool, callId, input, footprint } = call
  const parts = judged.commands.length > 0 ? partsOf(judged, rules, mode) : undefined
  const partly = parts && parts.length > 1 ? partRules(judged, parts, rules, mode) : []
  const canRemember = destinations.length > 0 && isSpared(decision)
  const alarm = criticalReason(judged)
  const isInParts = parts !== undefined && parts.length > 1
  const isRisk = alarm !== undefined || isDanger(decision, judged)
  const usual = whyWords(judged, decision, { isRisk, isInParts, rules })
  const why = decision.undecided === undefined ? usual : [decision.undecided, usual ?? ""].join(" ").trim()
  const effects = risksIn(judged)
  const isSaid = why?.startsWith(withoutUndo) === true || risks.some(({ text }) => text.endsWith(undoPhrases.never))
  const undo = isSaid ? undefined : undoOf(judged, exclusions)
  const said = [
    ...risks.map(sentenceOf),
    ...(isInParts ? [] : outgoingIn(judged, risks)),
    ...(footprint.runs.length > 0 && exclusions.length > 0 ? [excludedWords(exclusions)] : []),
  ]
  // A destructive part is asked about every time; the others may still be allowed permanently. Not beside an alarm.
  const canRememberParts =
    destinations.length > 0 &&
    alarm === undefined &&
    (isSpared(decision) || isDanger(decision, judged)) &&
    partly.some((rule) => rule !== undefined)
  return {
    kind: "permission",
    callId,
    tool: tool.name,
    ...optional("server", tool.server),
    title: tool.title(call.parsed),
    question: questionWords(judged, display) ?? `Allow ${tool.title(call.parsed)}?`,
    input,
    footprint,
    ...(footprint.runs.length > 0 && { cwd }),
    ...optional("display", display),
    ...optional("change", change),
    decision,
    ...optional("why", why),
    explanation: explanationOf(judged, display, why),
    ...(effects.length > 0 && { effects }),
    ...optional("undo", undo),
    ...(isInParts && { parts: shownParts(parts, canRememberParts ? partly : [], judged, risks) }),
    ...(said.length > 0 && { risks: said }),
    ...optional("alarm", alarm),
    ...optional("suggestedRule", canRemember ? suggestRule(judged, rules, mode) : undefined),
    ...((canRemember || canRememberParts) && { destinations }),
    ...(canRemember && hasAny(suggestions) && { suggestions }),
    ...(asking.hasAuto && alarm === undefined && couldBeAuto(judged, decision, mode) && { auto: true }),
    ...(call.hook?.defers && { deferred: true }),
  }
}

/** What asks in every mode is not auto mode's to decide. */
const couldBeAuto = ({ commands }: JudgedCall, decision: Decision, mode: PermissionMode): boolean =>
  commands.length > 0 && isSpared(decision) && (mode === "default" || mode === "acceptEdits")

const hasAny = ({ rules, mode, folders }: Suggestions): boolean =>
  rules.length > 0 || mode !== undefined || folders !== undefined

/** What a single command sends away, unless it is said to destroy something by that. */
const outgoingIn = ({ commands }: JudgedCall, risks: readonly AtRiskWords[]): readonly string[] =>
  commands
    .flatMap(({ analysis }) => analysis.segments)
    .filter(({ text }) => !risks.some(({ part }) => part === text))
    .flatMap((segment) => outgoingOf(segment) ?? [])
    .map((text) => sentenceOf({ text, part: text }))

/** Edits are covered by a snapshot; removing the system or the home is not. */
function undoOf(
  judged: JudgedCall,
  exclusions: readonly ExcludedFolder[],
): Extract<QuestionAsk, { readonly kind: "permission" }>["undo"] {
  const { footprint, commands } = judged
  if (isCritical(judged)) return "never"
  const isEdit = footprint.writes.length > 0 && commands.length === 0 && footprint.reaches.length === 0
  if (isEdit && excludedByCall(judged, exclusions) !== undefined) return "never"
  return isEdit && !footprint.writes.some((path) => path.split("/").includes(".git")) ? "rewind" : undefined
}

/** What could be lost, as phrases: how much, where that can be counted, and whether it can be undone. */
export async function whatIsAtRisk(
  judged: JudgedCall,
  countAtRisk: CountAtRisk | undefined,
  signal: AbortSignal,
): Promise<readonly AtRiskWords[]> {
  const found = await Promise.all(
    destroyersIn(judged).map(async ({ destruction, part, segment }) => {
      const count = await countAtRisk?.(part, signal)
      const counted = count && destruction.loses && lossWords(destruction.loses, count, part.argv)
      const undo = count?.undo === undefined ? "" : undoPhrases[count.undo]
      return { text: `${destruction.risk}${counted === undefined ? "" : ` (${counted})`}${undo}`, part: segment.text }
    }),
  )
  const all: readonly AtRiskWords[] = [...some(criticalReason(judged)).map((text) => ({ text })), ...found]
  return all.filter(({ text }, i) => all.findIndex((other) => other.text === text) === i)
}

/** How the reason begins where a call is asked about because it cannot be undone. */
export const withoutUndo = "Cannot be undone with /rewind"

const undoPhrases = { rewind: "; can be undone with /rewind", never: "; cannot be undone" } as const

export async function whatItWouldDo({ tool, parsed, signal }: Call): Promise<Display | undefined> {
  try {
    return await tool.preview?.(parsed, signal)
  } catch {
    // A question without a preview is better than none.
    return undefined
  }
}

/** Whether an allow rule could avoid the question; not if an ask rule or a safety check wants it. */
const isSpared = ({ reason }: Decision): boolean => reason.kind === "default"

/** Whether the question is because a part of the command destroys something, not because of a rule or a protected path. */
const isDanger = ({ reason }: Decision, judged: JudgedCall): boolean =>
  reason.kind === "tool_check" && risksOf(judged).some(({ what, risk }) => reason.check === `${what}: ${risk}`)

const some = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

/** Each part once: a loop repeats the same ones. */
function shownParts(
  parts: readonly CommandPart[],
  rules: readonly (string | undefined)[],
  judged: JudgedCall,
  risks: readonly AtRiskWords[],
): readonly QuestionPart[] {
  const each = parts.map((part, i) => shownPart(part, rules[i], judged, risks))
  const shown = withStarted(parts, each)
  const isFirst = (part: QuestionPart, i: number): boolean =>
    shown.findIndex(({ text, needsConsent }) => text === part.text && needsConsent === part.needsConsent) === i
  return shown.filter(isFirst)
}

/** What a part starts itself, as `find -exec` does, is not a part of its own: it says what the other one does. */
function withStarted(parts: readonly CommandPart[], shown: readonly QuestionPart[]): readonly QuestionPart[] {
  const starter = parts.map(({ segment }) => parts.findIndex((other) => startsIn(other.segment, segment)))
  return shown.flatMap((part, i) => {
    if (starter[i] !== -1) return []
    const inner = shown.filter((_, j) => starter[j] === i)
    const [first] = inner
    if (!first) return [part]
    const grave = inner.find(({ needsConsent }) => needsConsent) ?? first
    return [
      {
        ...part,
        needsConsent: part.needsConsent || grave.needsConsent,
        why: part.needsConsent ? part.why : `runs ${programOf(grave)}: ${grave.why}`,
        ...optional("rule", part.rule ?? grave.rule),
        ...(inner.some(({ leaves }) => leaves) && { leaves: true }),
      },
    ]
  })
}

const programOf = ({ text }: QuestionPart): string => `\`${text.split(/\s/, 1)[0]}\``

function shownPart(
  { segment, standing, rules }: CommandPart,
  suggested: string | undefined,
  judged: JudgedCall,
  risks: readonly AtRiskWords[],
): QuestionPart {
  const { text, critical, destructive } = segment
  switch (standing) {
    case "free":
      return { text, needsConsent: false, why: "only reads" }
    case "mode":
      return { text, needsConsent: false, why: "allowed by accept-edits mode" }
    case "rule":
      return { text, needsConsent: false, why: `allowed by ${rules.map(nameOf).join(", ")}` }
    case "consent": {
      const risk = risks.find(({ part }) => part === text)?.text
      const out = outgoingOf(segment)
      const why = critical ?? risk ?? destructive?.risk ?? out ?? partWords(segment, judged)
      return {
        text,
        needsConsent: true,
        why,
        ...(out !== undefined && { leaves: true }),
        ...optional("rule", suggested),
      }
    }
  }
}

const nameOf = (rule: PermissionRule): string => `${ruleText(rule)} (${rule.source})`
