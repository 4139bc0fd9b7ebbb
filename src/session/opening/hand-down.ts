/** Turns what a parent has into what its agent gets: the ledger, the model, the rules. */

import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { parseRules, type PermissionRule, type RuleText } from "#kits/permissions/rules/rule.ts"
import { failed, ok } from "#lib/result.ts"
import type { ModelChoice } from "./options.ts"
import type { SideSpent } from "#session/request/side-request.ts"

/** The parent's ledger under the agent's name; earlier spending of the agent is already booked. `own` is the agent's own budget within the session's. */
export function ledgerOf(ledger: Ledger, who: string, onSpent: (spent: SideSpent) => void, own?: Ledger): Ledger {
  return {
    ...ledger,
    book: (spent) => own?.book(spent),
    async reserve(ask) {
      const name = ask.who === "main" ? who : `${who}, ${ask.who}`
      const within = await own?.reserve({ ...ask, who: name })
      if (within && !within.ok) return failed({ kind: "agent_cap", message: ownCapWords(who, within.failure.message) })
      const reserved = await ledger.reserve({ ...ask, who: name, ...(within && { maxOutput: within.value.maxOutput }) })
      if (!reserved.ok) {
        within?.value.release()
        return reserved
      }
      const { settle, release, maxOutput } = reserved.value
      let isOpen = true
      return ok({
        maxOutput,
        release() {
          isOpen = false
          within?.value.release()
          release()
        },
        settle(usage) {
          within?.value.settle(usage)
          const costUsd = settle(usage)
          if (isOpen && usage !== noUsage)
            onSpent({ who: name, model: ask.model, usage, ...(costUsd !== undefined && { costUsd }) })
          isOpen = false
          return costUsd
        },
      })
    },
  }
}

const ownCapWords = (who: string, why: string): string =>
  `${who} reached its own budget. ${why.replace(/ (?:Raise it with|Set a budget) .*$/, "")}`

/** The model of an agent: the session's unless something else is set. Only an agent that inherits it uses a different model for planning, as the session does. */
export function modelOf(
  choice: ModelChoice,
  wanted: string | undefined,
  current: string,
): Pick<ModelChoice, "id" | "given" | "forMode"> {
  const name = choice.forAgents ?? wanted ?? "inherit"
  const { forMode } = choice
  if (name === "inherit") return { id: current, given: true, ...(forMode && { forMode }) }
  const id = name === "small" ? choice.small : name === "middle" ? choice.middle : modelNamed(name, current, choice)
  return { id: id ?? current, given: true, forMode: ({ model }) => model }
}

/** The model that a file names. A family name means the session's own version, if the session uses that family. */
export const modelNamed = (name: string, current: string, { resolve }: Pick<ModelChoice, "resolve">): string =>
  families.includes(name) && current.split(/[^a-z]+/).includes(name) ? current : (resolve?.(name) ?? name)

const families: readonly string[] = ["opus", "sonnet", "haiku"]

export function modelNameOf(choice: ModelChoice, { model }: Pick<AgentDefinition, "model">): string {
  const { id } = modelOf(choice, model, "inherit")
  return families.find((family) => choice.resolve?.(family) === id) ?? id
}

/** Denials of the turn in which an agent was started apply to all its work, even after that turn. */
export function denialsFrom(denials: () => readonly string[]): () => readonly string[] {
  const begun = [...denials()]
  return () => [...begun, ...denials().filter((rule) => !begun.includes(rule))]
}

/** Rules about the project's own folder apply in a copy of it, too. */
export function rulesApart(
  texts: readonly RuleText[],
  from: string,
  to: string,
): { readonly texts: readonly RuleText[]; readonly grants: (grants: Grants) => Grants } {
  const moved = texts.flatMap((rule) => (rule.base === from ? [{ ...rule, base: to }] : []))
  const { rules } = parseRules(moved)
  return {
    texts: [...texts, ...moved],
    grants(grants) {
      let known: readonly PermissionRule[] | undefined
      let all: readonly PermissionRule[] = []
      return {
        ...grants,
        rules() {
          const now = grants.rules()
          if (now !== known) all = [...now, ...rules]
          known = now
          return all
        },
      }
    },
  }
}
