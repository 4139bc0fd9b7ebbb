/** Whether a team still has something to do. */

import { hasUnread, isRoutine, type TeamLook } from "#agent/words/team.ts"
import type { Session } from "./session.ts"

type Port = Pick<Session, "ask">

/** The agents of members with nothing left to do, if that is true of all of them. Whoever has unread mail is about to wake. */
export async function restingMembers({ ask }: Port): Promise<ReadonlySet<string>> {
  const look = await ask({ type: "team" })
  if (!look) return new Set()
  const members = look.members.filter(({ name, state }) => name !== look.lead && state !== "gone")
  const isResting = members.every(({ state, name }) => state === "idle" && !hasUnread(name, look))
  return new Set(isResting ? members.map(({ sessionId }) => sessionId) : [])
}

/** The agents of all members. */
export async function memberAgents({ ask }: Port): Promise<ReadonlySet<string>> {
  const look = await ask({ type: "team" })
  return new Set(look?.members.map(({ sessionId }) => sessionId))
}

/** Whether the lead has something to hear now: mail, or that tasks are open and nobody works on them. */
export async function hasNewsForLead({ ask }: Port): Promise<boolean> {
  const look = await ask({ type: "team" })
  return look !== null && (look.isReminding === true || look.mail.some((mail) => isNews(mail, look)))
}

/** Routine mail waits until nobody works any more; the lead may hear of it earlier. */
const isNews = (mail: TeamLook["mail"][number], look: TeamLook): boolean =>
  mail.to === look.lead &&
  mail.deliveredAt === undefined &&
  !(isRoutine(mail) && look.members.some((member) => member.name !== look.lead && isBusy(member, look)))

const isBusy = ({ name, state }: TeamLook["members"][number], look: TeamLook): boolean =>
  state === "working" || (state === "idle" && hasUnread(name, look))
