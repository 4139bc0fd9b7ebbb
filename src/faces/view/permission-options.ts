/** The answers to a question about a call or a plan, for clients that show a list of them. */

import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type Question } from "#agent/words/question.ts"
import { forConsent } from "#lib/printable.ts"
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
  ruleWords,
} from "./consent.ts"

/** One answer that can be chosen. `words`: whoever chooses it may say something to the model, or what to do instead. */
export interface PermissionOption {
  readonly id: string
  readonly name: string
  readonly kind: "allow_once" | "allow_always" | "reject_once"
  readonly answer: Answer
  readonly words?: (words: string) => Answer
}

/** `hasForms`: the client can ask for words. */
export function permissionOptions(
  ask: PermissionAsk,
  agent: Question["agent"],
  hasForms: boolean,
): readonly PermissionOption[] {
  return permissionChoices(ask).flatMap((choice): readonly PermissionOption[] => {
    switch (choice.kind) {
      case "yes":
        return [
          { id: "yes", name: "Yes", kind: "allow_once", answer: { kind: "allow" } },
          ...(hasForms ? [yesWithWords] : []),
        ]
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
  })
}

const yesWithWords: PermissionOption = {
  id: "yes:words",
  name: "Yes, and tell the model something",
  kind: "allow_once",
  answer: { kind: "allow" },
  words: (words) => ({ kind: "allow", words }),
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

export function planOptions(ask: PlanAsk, hasForms: boolean): readonly PermissionOption[] {
  const granted = ask.wishes.flatMap(({ prompt, covers }) => (covers === undefined ? [] : [prompt]))
  return planChoices(ask).flatMap((choice): readonly PermissionOption[] =>
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
  )
}
