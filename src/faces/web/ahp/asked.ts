/** What a session asks of people, as the protocol shows it: calls to confirm, and questions with options. */

import type { FileDiff } from "#agent/words/display.ts"
import { offeredRules, type Question } from "#agent/words/question.ts"
import { askerOf } from "#faces/view/asker.ts"
import {
  type PermissionAsk,
  planQuestion,
  questionText,
  reasonLine,
  riskSentences,
  ruleWords,
  thingLines,
} from "#faces/view/consent.ts"
import { forConsent } from "#lib/printable.ts"
import type { ConfirmationOption, InputRequest, Words } from "./chat-state.ts"

export type ConsentChoice = "allow" | "session" | "deny"

/** The digest is part of what a client chooses, so that a yes to something else is not taken for a yes to this. */
const optionId = (decision: ConsentChoice, digest: string): string => `${decision}:${digest}`

export function chosen(id: string): { readonly decision: ConsentChoice; readonly digest: string } | undefined {
  const [, decision, digest = ""] = /^(allow|session|deny):(\w+)$/.exec(id) ?? []
  if (decision !== "allow" && decision !== "session" && decision !== "deny") return undefined
  return { decision, digest }
}

export interface Confirmation {
  readonly confirmationTitle: Words
  readonly options: readonly ConfirmationOption[]
}

/** Nothing for questions that a yes or no does not answer. */
export function confirmationOf({ ask, agent, digest }: Question): Confirmation | undefined {
  if (ask.kind === "plan") {
    const wishes = ask.wishes.flatMap(({ prompt, covers }) =>
      covers === undefined ? [] : [`- ${forConsent(prompt)}: ${forConsent(covers)}`],
    )
    const also = wishes.length === 0 ? [] : [`A yes also allows:\n${wishes.join("\n")}`]
    return {
      confirmationTitle: {
        markdown: [planQuestion, ask.plan.split("\n").map(forConsent).join("\n"), ...also].join("\n\n"),
      },
      options: [
        { id: optionId("allow", digest), label: "Approve", kind: "approve" },
        { id: optionId("deny", digest), label: "Keep planning", kind: "deny" },
      ],
    }
  }
  if (ask.kind !== "permission") return undefined
  const lines = [
    questionText(ask),
    ...(agent ? [`Asked by ${askerOf(agent)}.`] : []),
    ...(ask.alarm === undefined ? [] : [ask.alarm]),
    ...riskSentences(ask),
    reasonLine(ask),
  ]
  const text = lines.filter((line) => line !== "").map(forConsent)
  const rules = ask.destinations?.includes("session") ? offeredRules(ask) : []
  return {
    confirmationTitle: { markdown: [...text, ...shownText(ask)].join("\n\n") },
    options: [
      { id: optionId("allow", digest), label: "Allow once", kind: "approve" },
      ...(rules.length === 0
        ? []
        : [
            {
              id: optionId("session", digest),
              label: `Allow ${rules.map(ruleWords).map(forConsent).join(", ")} for this session`,
              kind: "approve" as const,
            },
          ]),
      { id: optionId("deny", digest), label: "Deny", kind: "deny" },
    ],
  }
}

/** The protocol shows edits as files that a client fetches from the host, which this server does not hand out. */
function shownText(ask: PermissionAsk): readonly string[] {
  const { display } = ask
  if (display?.kind !== "diff" && display?.kind !== "diffs") return [fenced(thingLines(ask))]
  const files: readonly FileDiff[] = display.kind === "diff" ? [display] : display.files
  return files.map(({ path, hunks }) => {
    const lines = hunks.flatMap((hunk) => hunk.lines).map(forConsent)
    return `${forConsent(path)}\n${fenced(lines, "diff")}`
  })
}

/** Nothing in the lines ends the fence early. */
function fenced(lines: readonly string[], language = ""): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`{3,}/g)].map(([run]) => run.length)))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${lines.join("\n")}\n${fence}`
}

export function inputRequestOf({ id, ask }: Question): InputRequest | undefined {
  if (ask.kind !== "choice") return undefined
  return {
    id,
    message: ask.questions.map(({ question }) => question).join("\n"),
    questions: ask.questions.map(({ question, header, options, multiSelect }) => ({
      kind: multiSelect ? "multi-select" : "single-select",
      id: question,
      title: header,
      message: question,
      options: options.map(({ label, description }) => ({ id: label, label, description })),
      allowFreeformInput: true,
    })),
  }
}
