/** The results of calls of a lead that were begun before the program ended, from what is there of its team. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { TeamStore } from "#agent/words/team.ts"
import type { Outcome } from "#agent/words/tool.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { outcomeOfCall, notRun } from "./call-outcome.ts"
import { createdOutcome, removedOutcome, startedBefore } from "./lead-words.ts"
import { leadName, safeTeamName } from "./place.ts"
import type { TeamStores } from "./team-stores.ts"

export interface LeadOutcomeParts {
  readonly stores: TeamStores
  readonly ports: TeamPorts
  /** The team of the log. */
  readonly kept: () => { readonly team: string; readonly mailTo: number } | undefined
  /** How branches are brought together. */
  readonly mergeWord: string
}

/** Undefined for calls that are not about a team. */
export async function outcomeOfLeadCall(parts: LeadOutcomeParts, call: ToolUseBlock): Promise<Outcome | undefined> {
  const { stores, ports, mergeWord } = parts
  const { name, input } = call
  const kept = parts.kept()
  const record = (team: EntryBody & { readonly kind: "team" }): void => void ports.record(team)
  if (name === "TeamCreate") {
    const team = kept?.team ?? safeTeamName(String(input.name))
    if (team === undefined || !(await stores.has(team)) || !(await isOwnTeam(parts, team))) return notRun
    if (!kept) record({ kind: "team", team, name: leadName, mailTo: 0 })
    return createdOutcome(team, mergeWord)
  }
  if (!kept) return undefined
  const { team, mailTo } = kept
  if (name === "TeamDelete") {
    if (await stores.has(team)) return notRun
    record({ kind: "team", team, name: leadName, mailTo, over: true })
    return removedOutcome(team)
  }
  if (!(await stores.has(team))) return undefined
  return withStore(stores, team, async (store) => {
    const came = await outcomeOfCall(store, leadName, call)
    if (came) return came
    const member = (await store.roster.members()).find(({ callId, state }) => callId === call.id && state !== "gone")
    return member && ports.crew.stateOf(member.sessionId) ? startedBefore(member, team) : undefined
  })
}

/** Whether it was made by this session, which may have ended before it entered itself. */
export const isOwnTeam = (
  { stores, ports }: Pick<LeadOutcomeParts, "stores" | "ports">,
  team: string,
): Promise<boolean> =>
  withStore(stores, team, async ({ roster }) => {
    const lead = (await roster.members()).find(({ name }) => name === leadName)
    return lead === undefined || lead.sessionId === ports.sessionId
  })

/** Reads the store of a team without leading it yet. */
async function withStore<T>(stores: TeamStores, team: string, read: (store: TeamStore) => Promise<T>): Promise<T> {
  const store = await stores.open({ name: team, lead: leadName })
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}
