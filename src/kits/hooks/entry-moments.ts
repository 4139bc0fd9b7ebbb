/** Moments derived from entries: a question waits, the folder changed, memory files were read, others changed. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { Question } from "#agent/words/question.ts"
import type { HookMoment } from "./moments.ts"

export interface EntryMomentPorts {
  readonly cwd: string
  readonly instructionsIn: (attachment: Attachment) => readonly Instructions[]
  /** Files the model knows that somebody else changed. */
  readonly changesIn: (attachment: Attachment) => readonly { readonly path: string; readonly event: string }[]
}

export interface Instructions {
  readonly path: string
  readonly type: string
  readonly reason: "session_start" | "nested_traversal"
}

/** The moments that an entry stands for; needs every entry, to know the previous folder. */
export function openEntryMoments({
  cwd: first,
  instructionsIn,
  changesIn,
}: EntryMomentPorts): (entry: Entry) => readonly HookMoment[] {
  let cwd = first
  let model: string | undefined
  const shown = openShown()
  return (entry) => {
    switch (entry.kind) {
      case "turn_start":
        shown.turn(entry.turnId)
        return []
      case "reply":
        return shown.moments(entry)
      case "model": {
        const from = model
        model = entry.model
        if (from === undefined || from === model) return []
        return [{ event: "PostModelSwitch", subjects: [model], fields: { from_model: from, to_model: model } }]
      }
      case "question":
        return [waits(entry.question)]
      case "cwd": {
        const fields = { old_cwd: cwd, new_cwd: entry.path }
        cwd = entry.path
        return fields.old_cwd === fields.new_cwd ? [] : [{ event: "CwdChanged", fields }]
      }
      case "folders":
        return entry.added.map((directory) => ({
          event: "DirectoryAdded",
          // Only projects within the workspace are registered; other folders lie outside it.
          fields: { directory, source: directory.startsWith(`${first}/`) ? "register_repo_root" : "slash_command" },
        }))
      case "attachment":
        return [
          ...instructionsIn(entry).map(({ path, type, reason }): HookMoment => ({
            event: "InstructionsLoaded",
            subjects: [reason],
            fields: { file_path: path, memory_type: type, load_reason: reason },
          })),
          ...changesIn(entry).map(({ path, event }): HookMoment => ({
            event: "FileChanged",
            subjects: [path.slice(path.lastIndexOf("/") + 1)],
            fields: { file_path: path, event },
          })),
        ]
      default:
        return []
    }
  }
}

/** Text of answers, one moment for each block when it is whole. */
function openShown() {
  let turnId = ""
  let messageId = ""
  let index = 0
  return {
    turn: (id: string): void => void (turnId = id),
    moments({ messageId: of, block }: Entry & { readonly kind: "reply" }): readonly HookMoment[] {
      if (of !== messageId) index = 0
      messageId = of
      if (block.type !== "text" || block.text === "") return []
      const fields = { turn_id: turnId, message_id: of, index: index++, final: true, delta: block.text }
      return [{ event: "MessageDisplay", fields }]
    },
  }
}

function waits({ ask }: Question): HookMoment {
  const type = ask.kind === "choice" || ask.kind === "elicitation" ? "elicitation_dialog" : "permission_prompt"
  return {
    event: "Notification",
    subjects: [type],
    fields: { message: waitWords(ask), title: "Codewright", notification_type: type },
  }
}

function waitWords(ask: Question["ask"]): string {
  switch (ask.kind) {
    case "permission":
      return `Codewright needs your permission: ${ask.title}`
    case "plan":
      return "Codewright has made a plan and waits for you to approve it."
    case "choice":
      return `Codewright asks: ${ask.questions.map(({ question }) => question).join(" ")}`
    case "elicitation":
      return `The MCP server ${ask.server} asks: ${ask.message}`
  }
}
