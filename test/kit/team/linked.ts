/** A lead and a member as two processes have them, with everything that crosses turned into JSON and checked as it arrives. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type Ledger, openLedger } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import { objectIn } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import type { Upward } from "#session/opening/upward.ts"
import type { SideSpent } from "#session/request/side-request.ts"
import { type LeadCalls, openLeadCalls } from "#team/hosts/lead-calls.ts"
import { readFromLead } from "#team/hosts/messages.ts"
import { type MemberServer, serveMember } from "#team/hosts/serve-member.ts"

export interface LinkedPair {
  readonly calls: LeadCalls
  readonly server: MemberServer
}

export interface LinkedLead {
  readonly ledger: Ledger
  readonly spent: SideSpent[]
  readonly recorded: EntryBody[]
  /** What came up, by name. */
  readonly heard: unknown[][]
  readonly link: (member: string) => LinkedPair
  isClosing: boolean
}

export function openLinkedLead(parts: {
  readonly prices: Prices
  readonly usd?: number
  readonly ask?: Upward["ask"]
  readonly onStuck?: () => void
}): LinkedLead {
  const { prices, usd } = parts
  const ledger = openLedger({ prices, budget: () => (usd === undefined ? {} : { usd }) })
  const heard: unknown[][] = []
  const hear =
    (name: string) =>
    (...words: readonly unknown[]): void =>
      void heard.push([name, ...words])
  const up: Upward = {
    ask: parts.ask ?? (() => new Promise(() => {})),
    ledger,
    overBudget: async (refusal) => {
      hear("over_budget")(refusal.kind)
      return "stop"
    },
    grants: { remember: hear("grant") },
    widen: hear("widen"),
    update: async (updates) => hear("update")(updates),
    gates: { note: hear("gate") },
    warn: hear("warn"),
  }
  const lead: LinkedLead = {
    ledger,
    heard,
    spent: [],
    recorded: [],
    isClosing: false,
    link(member) {
      const calls = later<LeadCalls>("calls")
      const server = serveMember({
        member,
        port: { up: () => up, onSpent: (spent) => void lead.spent.push(spent) },
        ask: up.ask,
        record: (body) => void lead.recorded.push(body),
        isClosing: () => lead.isClosing,
        onFailure(error) {
          throw error
        },
        send(message) {
          const read = readFromLead(objectIn(JSON.stringify(message)) ?? {})
          if (!read.ok) throw new Error(read.complaints.join(" "))
          if ("number" in read.value) calls.get().onReply(read.value)
        },
      })
      const send = (message: object): void => server.receive(objectIn(JSON.stringify(message)) ?? {})
      calls.settle(openLeadCalls({ send, prices, onStuck: parts.onStuck ?? (() => {}) }))
      return { calls: calls.get(), server }
    },
  }
  return lead
}
