/** Whether a team still has something to do. */

import { hasUnread, isRoutine, type TeamOverview } from "#agent/words/team.ts"
import type { Session } from "./session.ts"

type Port = Pick<Session, "ask">

/** The agents of members with nothing left to do, if that is true of all of them. Whoever has unread mail is about to wake. */
export async function restingMembers({ ask }: Port): Promise<ReadonlySet<string>> {
  const overview = await ask({ type: "team" })
  if (!overview) return new Set()
  const members = overview.members.filter(({ name, state }) => name !== overview.lead && state !== "gone")
  const isResting = members.every(({ state, name }) => state === "idle" && !hasUnread(name, overview))
  return new Set(isResting ? members.map(({ sessionId }) => sessionId) : [])
}

/** The agents of all members. */
export async function memberAgents({ ask }: Port): Promise<ReadonlySet<string>> {
  const overview = await ask({ type: "team" })
  return new Set(overview?.members.map(({ sessionId }) => sessionId))
}

/** Whether the lead has something to hear now: mail, or that tasks are open and nobody works on them. */
export async function hasNewsForLead({ ask }: Port): Promise<boolean> {
  const overview = await ask({ type: "team" })
  return overview !== null && (overview.isReminding === true || overview.mail.some((mail) => isNews(mail, overview)))
}

/** Routine mail waits until nobody works any more; the lead may hear of it earlier. */
const isNews = (mail: TeamOverview["mail"][number], overview: TeamOverview): boolean =>
  mail.to === overview.lead &&
  mail.deliveredAt === undefined &&
  !(isRoutine(mail) && overview.members.some((member) => member.name !== overview.lead && isBusy(member, overview)))

const isBusy = ({ name, state }: TeamOverview["members"][number], overview: TeamOverview): boolean =>
  state === "working" || (state === "idle" && hasUnread(name, overview))
