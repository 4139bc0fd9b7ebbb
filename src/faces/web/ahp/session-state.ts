/** A session as the protocol shows it: in lists, and to those who follow it. */

import { pathToFileURL } from "node:url"
import { isOver } from "#agent/words/stage.ts"
import type { FleetSession } from "#fleet/records.ts"
import { time } from "#fleet/shown-approval.ts"
import type { JsonObject } from "#lib/json.ts"
import { type ChatState, waits } from "./chat-state.ts"
import { chatChannel, sessionChannel, statusBits } from "./names.ts"

export const provider = "codewright"

/** What is known of a session: its record, or before its first prompt what a client wants it to be. */
export type SessionAbout = Pick<FleetSession, "id" | "title" | "stage" | "opening" | "createdAt" | "updatedAt">

function statusOf(stage: FleetSession["stage"]): number {
  if (stage === "failed") return statusBits.error
  if (stage === "cancelled") return statusBits.idle | statusBits.archived
  if (isOver(stage)) return statusBits.idle
  return stage.startsWith("awaiting_") ? statusBits.inputNeeded : statusBits.inProgress
}

export const summaryOf = (about: SessionAbout): JsonObject => ({
  resource: sessionChannel(about.id),
  provider,
  title: about.title,
  status: statusOf(about.stage),
  createdAt: time(about.createdAt),
  modifiedAt: time(about.updatedAt),
  ...workingDirectories(about),
})

export const chatSummaryOf = ({
  resource,
  title,
  status,
  modifiedAt,
}: ChatState): Pick<ChatState, "resource" | "title" | "status" | "modifiedAt"> => ({
  resource,
  title,
  status,
  modifiedAt,
})

export const sessionStateOf = (about: SessionAbout, chat: ChatState): JsonObject => {
  const inputNeeded = inputNeededOf(chat)
  return {
    provider,
    title: about.title,
    status: inputNeeded.length > 0 ? statusBits.inputNeeded : statusOf(about.stage),
    lifecycle: "ready",
    activeClients: [],
    chats: [chatSummaryOf(chat)],
    defaultChat: chatChannel(about.id),
    ...workingDirectories(about),
    ...(inputNeeded.length > 0 && { inputNeeded }),
  }
}

function workingDirectories({ opening: { workspace } }: SessionAbout): JsonObject {
  return "path" in workspace ? { workingDirectories: [pathToFileURL(workspace.path).href] } : {}
}

type InputNeeded = JsonObject & { readonly id: string }

/** Everything in a chat that waits for a person, for those who follow only the session. */
export function inputNeededOf({ resource: chat, activeTurn }: ChatState): readonly InputNeeded[] {
  return (activeTurn?.responseParts ?? []).filter(waits).flatMap((part): readonly InputNeeded[] => {
    // Everything in the state is plain data.
    if (part.kind === "inputRequest")
      return [{ id: part.request.id, chat, kind: "chatInput", request: part.request as unknown as JsonObject }]
    if (part.kind !== "toolCall") return []
    const toolCall = part.toolCall as unknown as JsonObject
    return [{ id: part.toolCall.toolCallId, chat, kind: "toolConfirmation", turnId: activeTurn?.id ?? "", toolCall }]
  })
}
