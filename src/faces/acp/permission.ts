/** A question about a call or a plan as a permission request, with the same answers as in the terminal. */

import type { Question } from "#agent/words/question.ts"
import { askerOf } from "#faces/view/asker.ts"
import {
  type PermissionAsk,
  type PlanAsk,
  planQuestion,
  questionText,
  reasonLine,
  riskSentences,
  thingLines,
} from "#faces/view/consent.ts"
import { type PermissionOption, permissionOptions, planOptions } from "#faces/view/permission-options.ts"
import type { JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { diffLocations, displayContent, inputLocations, kindOf, outputContent, textContent } from "./tool-calls.ts"

export interface PermissionRequest {
  readonly toolCall: JsonObject
  readonly options: readonly PermissionOption[]
}

export interface AskingClient {
  readonly cwd: string
  /** Whether it can ask for words. */
  readonly hasForms: boolean
}

export function permissionRequest(
  ask: PermissionAsk,
  agent: Question["agent"],
  { cwd, hasForms }: AskingClient,
): PermissionRequest {
  const locations = diffLocations(ask.display, cwd) ?? inputLocations(ask.input, cwd)
  return {
    toolCall: {
      toolCallId: ask.callId,
      title: ask.title,
      name: ask.tool,
      kind: kindOf(ask.tool),
      status: "pending",
      rawInput: ask.input,
      content: [...(displayContent(ask.display, cwd) ?? [outputContent(thingLines(ask).join("\n"))]), ...reasons()],
      ...(locations.length > 0 && { locations }),
    },
    options: permissionOptions(ask, agent, hasForms),
  }

  function reasons(): readonly JsonObject[] {
    const { alarm } = ask
    const lines = [
      questionText(ask),
      ...(agent ? [`Asked by ${askerOf(agent)}.`] : []),
      ...(alarm === undefined ? [] : [`**${forConsent(alarm)}**`]),
      ...riskSentences(ask),
      reasonLine(ask),
    ]
    return [
      textContent(
        lines
          .filter((line) => line !== "")
          .map(forConsent)
          .join("\n\n"),
      ),
    ]
  }
}

export function planRequest(ask: PlanAsk, { hasForms }: AskingClient): PermissionRequest {
  const wishes = ask.wishes.flatMap(({ prompt, covers }) =>
    covers === undefined ? [] : [`- ${forConsent(prompt)}: ${forConsent(covers)}`],
  )
  return {
    toolCall: {
      toolCallId: ask.callId,
      title: planQuestion,
      kind: "switch_mode",
      status: "pending",
      content: [
        textContent(ask.plan),
        ...(wishes.length === 0 ? [] : [textContent(`A yes also allows:\n${wishes.join("\n")}`)]),
      ],
    },
    options: planOptions(ask, hasForms),
  }
}
