/** What an agent is doing and has done, folded from its events. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { addUsage, allTokens, noUsage, type Usage } from "#agent/words/model.ts"

export interface Activity {
  readonly doing: string | undefined
  readonly toolUses: number
  readonly tokens: number
  readonly usage: Usage
  /** Its last message, in full. */
  readonly text: string
  readonly messageId: string
  readonly end: End | undefined
}

export const noActivity: Activity = {
  doing: undefined,
  toolUses: 0,
  tokens: 0,
  usage: noUsage,
  text: "",
  messageId: "",
  end: undefined,
}

export function foldActivity(activity: Activity, event: Event): Activity {
  if (event.type === "tool_start") return { ...activity, doing: event.title }
  return event.type === "entry" ? foldEntry(activity, event.entry) : activity
}

export const activityIn = (entries: readonly Entry[]): Activity => entries.reduce(foldEntry, noActivity)

function foldEntry(activity: Activity, entry: Entry): Activity {
  switch (entry.kind) {
    case "turn_start":
      return { ...activity, end: undefined, text: "", messageId: "" }
    case "reply": {
      const { messageId, block } = entry
      const before = messageId === activity.messageId ? activity.text : ""
      const text = block.type === "text" ? before + block.text : before
      return { ...activity, messageId, text, toolUses: activity.toolUses + (block.type === "tool_use" ? 1 : 0) }
    }
    case "orphan":
      return entry.messageId === activity.messageId ? { ...activity, text: "", messageId: "" } : activity
    case "reply_end":
      return { ...activity, tokens: allTokens(entry.usage), usage: addUsage(activity.usage, entry.usage) }
    case "result":
      return { ...activity, doing: undefined }
    case "turn_end": {
      const { kind: _kind, turnId: _turn, uuid: _uuid, parentUuid: _parent, at: _at, ...end } = entry
      return { ...activity, doing: undefined, end }
    }
    default:
      return activity
  }
}
