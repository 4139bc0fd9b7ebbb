/** The end of work in the background, as the conversation tells it. */

import type { ChildEnd, ChildFact } from "#agent/words/child.ts"
import type { Moment } from "#agent/words/event.ts"
import { durationText } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import { isFinished, type Item } from "./item.ts"
import type { View } from "./view.ts"

type BackgroundEnd = Moment & { readonly type: "background_end" }

/** A user who stopped a command knows that it has ended. */
export function commandEnded(view: View, { command, status, exitCode, durationMs }: BackgroundEnd): View {
  if (status === "killed") return view
  const after = durationText(durationMs)
  const [level, how] =
    status === "completed"
      ? (["info", `finished in ${after}`] as const)
      : (["warning", `failed with exit code ${exitCode} after ${after}`] as const)
  return withNotice(view, level, `Background command ${how}: ${firstLine(command)}`)
}

/** The end of an agent that was waited for is told by the result of its call. */
export function agentEnded(
  view: View,
  { callId, agentType, description, end = "lost", usage, within, member }: ChildFact,
): View {
  const isAwaited = view.items.some((item) => item.kind === "call" && item.callId === callId && !isFinished(item))
  // A member that the program took along is started again with its team.
  const goesOn = member !== undefined && end === "lost"
  if (isAwaited || within !== undefined || goesOn) return view
  const after = usage ? ` after ${durationText(usage.durationMs)}` : ""
  const level = end === "failed" || end === "lost" ? "warning" : "info"
  const who = member === undefined ? "Background agent" : `${firstLine(member)}, a member of the team,`
  return withNotice(view, level, `${who} ${agentEnds[end]}${after}: ${agentType}, ${description}`)
}

const agentEnds: { readonly [end in ChildEnd]: string } = {
  completed: "finished",
  failed: "failed",
  stopped: "stopped",
  lost: "ended with the program",
}

const withNotice = (view: View, level: "info" | "warning", text: string): View => ({
  ...view,
  items: [...view.items, { kind: "notice", level, text } satisfies Item],
})
