/** Whether a team still has something to do. */

import type { TeamLook } from "#agent/words/team.ts"
import type { Session } from "./session.ts"

type Port = Pick<Session, "ask">

/** The agents of members with nothing left to do, if that is true of all of them. */
export async function restingMembers({ ask }: Port): Promise<ReadonlySet<string>> {
  const look = await ask({ type: "team" })
  if (!look) return new Set()
  const members = look.members.filter(({ name, state }) => name !== look.lead && state !== "gone")
  return new Set(members.every(({ state }) => state === "idle") ? members.map(({ sessionId }) => sessionId) : [])
}

/** The agents of all members. */
export async function memberAgents({ ask }: Port): Promise<ReadonlySet<string>> {
  const look = await ask({ type: "team" })
  return new Set(look?.members.map(({ sessionId }) => sessionId))
}

/** Mail that the lead would hear of now. That a task is done is no news while its worker's report is still to come. */
export async function hasNewsForLead({ ask }: Port): Promise<boolean> {
  const look = await ask({ type: "team" })
  return look !== null && look.mail.some((mail) => isNews(mail, look))
}

const isNews = ({ to, from, type, deliveredAt }: TeamLook["mail"][number], { lead, members }: TeamLook): boolean =>
  to === lead &&
  deliveredAt === undefined &&
  !(type === "task_notification" && members.some(({ name, state }) => name === from && state === "working"))
