/** The plan of a member goes to the user, where there is one to ask; the lead hears what came of it. */

import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Letter, Mailboxes } from "#agent/words/team.ts"
import { answered, type CallContext, interrupted, type Outcome } from "#agent/words/tool.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { SendPorts } from "./send-message.ts"

export interface PlanQuestionParts {
  readonly ports: Pick<TeamPorts, "mode"> & { readonly ask: NonNullable<TeamPorts["ask"]> }
  /** The folder for plans. */
  readonly plans: string
  readonly lead: string
  readonly agent: AskingAgent & { readonly name: string }
  readonly mail: Pick<Mailboxes, "send">
}

export const isPlanApproved = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "memberPlan" in data && data.memberPlan === "approved"

/** What comes of a member's messages without being sent: undefined where there is nobody to ask. */
export function planAsking(
  parts: Omit<PlanQuestionParts, "ports"> & { readonly ports: Pick<TeamPorts, "mode" | "ask"> },
): SendPorts["instead"] {
  const { ask } = parts.ports
  if (ask === undefined) return undefined
  const asking = { ...parts, ports: { ...parts.ports, ask } }
  return async (letter, context) =>
    letter.type === "plan_approval_request" ? askAboutPlan(letter, context, asking) : undefined
}

/** Undefined if nobody answered: then the lead decides. */
async function askAboutPlan(
  { text }: Letter,
  { callId, signal }: Pick<CallContext, "callId" | "signal">,
  { ports, plans, lead, agent, mail }: PlanQuestionParts,
): Promise<Outcome | undefined> {
  const path = join(plans, `${agent.name}.md`)
  await mkdir(plans, { recursive: true, mode: 0o700 })
  await writeFile(path, text, { mode: 0o600 })
  const mode = ports.mode()
  const modes = [mode === "plan" ? "default" : mode] as const
  const answer = await ports.ask({ kind: "plan", callId, plan: text, path, modes, wishes: [] }, signal, agent)
  if (signal.aborted) return interrupted("Interrupted before your plan was decided on.", "before")
  const tellLead = (words: string, summary: string): Promise<unknown> =>
    mail.send({ from: agent.name, to: lead, type: "message", text: words, summary, key: `plan ${callId}` })
  if (answer.kind === "approve") {
    const plan = answer.plan ?? text
    await tellLead(`The user approved my plan:\n\n${plan}`, "The user approved my plan")
    const added = answer.words?.trim() ? ` They add: ${answer.words.trim()}` : ""
    const changed = plan === text ? "" : ` The user changed it; this is the plan now:\n\n${plan}`
    return answered(`The user approved your plan. Begin.${added}${changed}`, { data: { memberPlan: "approved" } })
  }
  if (answer.kind !== "deny") return undefined
  const words = answer.words ?? "The user gave no reason."
  await tellLead(`The user did not approve my plan. ${words}`, "The user did not approve my plan")
  return answered(`The user did not approve your plan. ${words}\nChange it and send it again.`, {
    data: { memberPlan: "declined" },
  })
}
