/** Tells the model, once each, that context or budget is running low, so that it can finish properly. */

import { byKind } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"

export interface UsagePorts {
  readonly tokens: () => { readonly used: number; readonly warning: number; readonly end: number }
  readonly money: () => { readonly spentUsd: number; readonly capUsd: number } | undefined
}

export const tokensName = "token_usage"
const moneyName = "money_budget"
const moneyShares = [0.5, 0.8, 0.95] as const

export function usageKit({ tokens, money }: UsagePorts): Kit {
  let tokensTold = false
  let sharesTold = 0
  const roomAgain = (): void => void (tokensTold = false)

  return {
    name: "usage",
    onEntry: byKind({
      attachment(entry) {
        if (entry.name === tokensName) tokensTold = true
        if (entry.name === moneyName) sharesTold++
      },
      compaction: roomAgain,
      head: roomAgain,
    }),
    attachments(): readonly Attachment[] {
      const attachments: Attachment[] = []
      const { used, warning, end } = tokens()
      if (!tokensTold && used >= warning)
        attachments.push({ name: tokensName, text: tokenWords(Math.max(0, end - used)) })
      const budget = money()
      const share = moneyShares[sharesTold]
      if (budget && share !== undefined && budget.spentUsd >= budget.capUsd * share)
        attachments.push({ name: moneyName, text: moneyWords(budget) })
      return attachments
    },
  }
}

const tokenWords = (left: number): string =>
  `About ${left} tokens are left in your window before this conversation is summarized. Finish what you are at; what must survive belongs into files or your list of work. Do not mention this note.`

const moneyWords = ({ spentUsd, capUsd }: { readonly spentUsd: number; readonly capUsd: number }): string =>
  `$${spentUsd.toFixed(2)} of the $${capUsd.toFixed(2)} for this session are spent; at the cap it stops. Do the most important things first and leave the work in a good state.`
