/** A question about a call or a plan as a permission request, with the same answers as in the terminal. */

import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type Question } from "#agent/words/question.ts"
import { askerOf } from "#faces/view/asker.ts"
import {
  declinedMember,
  instead,
  type PermissionAsk,
  permissionChoices,
  permissionLabel,
  places,
  type PlanAsk,
  planChoices,
  planLabel,
  planQuestion,
  questionText,
  reasonLine,
  riskSentences,
  ruleWords,
  thingLines,
} from "#faces/view/consent.ts"
import type { JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { diffLocations, displayContent, inputLocations, kindOf, outputContent, textContent } from "./tool-calls.ts"

/** One answer that can be chosen. `words`: whoever chooses it may say what to do instead. */
export interface PermissionOption {
  readonly id: string
  readonly name: string
  readonly kind: "allow_once" | "allow_always" | "reject_once"
  readonly answer: Answer
  readonly words?: (words: string) => Answer
}

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
    options: permissionChoices(ask).flatMap((choice): readonly PermissionOption[] => {
      switch (choice.kind) {
        case "yes":
          return [{ id: "yes", name: "Yes", kind: "allow_once", answer: { kind: "allow" } }]
        case "mode":
          return [
            {
              id: `mode:${choice.mode}`,
              name: permissionLabel(choice, "session"),
              kind: "allow_always",
              answer: { kind: "allow", mode: choice.mode },
            },
          ]
        case "rule":
        case "add rule":
        case "parts":
          return lasting(ask)
        case "no":
          return refusing("no", "No", agent?.name === undefined ? instead("") : declinedMember, hasForms)
        case "keep":
          return refusing("keep", "No, but keep what is new", { ...declinedMember, keep: true }, hasForms)
      }
    }),
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

/** The session and this project are what most answers mean; a rule for everyone is written into settings by hand. */
const offeredPlaces: readonly GrantDestination[] = ["session", "local settings", "user settings"]

function lasting(ask: PermissionAsk): readonly PermissionOption[] {
  const rules = offeredRules(ask)
  const words = rules.map(ruleWords).join(", ")
  return offeredPlaces
    .filter((place) => ask.destinations?.includes(place))
    .map((destination) => ({
      id: `always:${destination}`,
      name: `Yes, and don't ask again for ${forConsent(words)} in ${places[destination]}`,
      kind: "allow_always",
      answer: { kind: "allow", grants: rules.map((rule): Grant => ({ rule, destination })) },
    }))
}

/** A plain no ends the turn, so that the user speaks next; one with words lets the model continue with them. */
function refusing(
  id: string,
  name: string,
  answer: Answer & { readonly kind: "deny" },
  hasForms: boolean,
): readonly PermissionOption[] {
  const plain: PermissionOption = { id, name, kind: "reject_once", answer }
  if (!hasForms) return [plain]
  const keep = answer.keep === undefined ? {} : { keep: answer.keep }
  return [
    plain,
    {
      id: `${id}:words`,
      name: `${name}, and tell the model what to do differently`,
      kind: "reject_once",
      answer,
      words: (words) => ({ ...instead(words), ...keep }),
    },
  ]
}

export function planRequest(ask: PlanAsk, { hasForms }: AskingClient): PermissionRequest {
  const granted = ask.wishes.flatMap(({ prompt, covers }) => (covers === undefined ? [] : [prompt]))
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
    options: planChoices(ask).flatMap((choice): readonly PermissionOption[] =>
      choice.kind === "change"
        ? refusing("change", "No", { kind: "deny", interrupt: true }, hasForms)
        : [
            {
              id: `approve:${choice.mode}`,
              name: planLabel(choice),
              kind: choice.mode === "default" ? "allow_once" : "allow_always",
              answer: { kind: "approve", mode: choice.mode, wishes: granted },
            },
          ],
    ),
  }
}
