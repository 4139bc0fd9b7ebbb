/** What enter does with the line: a prompt, a command of ours, one of the shell, or a note to keep. */

import type { Op } from "#agent/words/op.ts"
import { optional } from "#lib/optional.ts"
import { slashCommand } from "#session/slash/table.ts"
import { commandNameIn, commandsOf, runCommandLine } from "./commands.ts"
import { unstashed } from "./draft.ts"
import { remove } from "./editor/buffer.ts"
import { act, fullText, lineOf, sent } from "./editor/editor.ts"
import { picturesIn } from "./editor/placeholders.ts"
import type { Effect } from "./effect.ts"
import { type TuiContext, only, type TuiOutcome } from "./outcome.ts"
import type { TuiState } from "./state.ts"
import { firstPromptUse, withUse } from "./uses.ts"

/** Any key removes the hint, and cancels the sending. */
const readingHint = "Sent as soon as the picture is read"

export function sendLine(state: TuiState, around: TuiContext): TuiOutcome {
  const { editor } = state
  const { buffer } = editor
  if (buffer.text[buffer.at - 1] === "\\") {
    const without = { ...editor, buffer: remove(buffer, buffer.at - 1, buffer.at) }
    return only({ ...state, editor: act(without, "new-line") ?? without })
  }
  const text = fullText(editor).trim()
  if (text === "") return only(state)
  switch (editor.kind) {
    case "shell":
      return sends(state, { kind: "submit", op: { type: "shell", command: text } })
    case "memory":
      return sends(state, { kind: "panel", panel: "memory", query: text })
    case "prompt": {
      const outcome = sendPrompt(state, text, around)
      const isSent = outcome.state.editor !== editor && outcome.effects.length > 0
      const name = isSent ? useOf(text, state, around) : undefined
      return name === undefined ? outcome : withUse(outcome, name)
    }
  }
}

function useOf(text: string, { view }: TuiState, around: TuiContext): string | undefined {
  const name = commandNameIn(text)
  const known = name === undefined ? undefined : slashCommand(name, commandsOf(around))?.name
  if (known !== undefined) return `/${known}`
  return around.session.turns === 0 && !view.working ? firstPromptUse : undefined
}

/** Sends what was waiting only for its pictures. */
export function sentOnceRead(state: TuiState, around: TuiContext): TuiOutcome | undefined {
  const { hint, editor } = state
  const isRead = picturesIn(editor.buffer.text, editor.placeholders).every(({ block }) => block !== undefined)
  return hint === readingHint && isRead ? sendLine({ ...state, hint: undefined }, around) : undefined
}

function sendPrompt(state: TuiState, text: string, around: TuiContext): TuiOutcome {
  const pictures = picturesIn(state.editor.buffer.text, state.editor.placeholders).map(({ block }) => block)
  const command = pictures.length === 0 ? runCommandLine(text, state, around) : undefined
  switch (command?.kind) {
    case "unknown":
      return only({ ...state, completion: undefined }, command.effect)
    case "unfinished":
      return only({ ...command.state, completion: undefined })
    case "later": {
      const said = { type: "prompt", content: [{ type: "text", text }], when: "queue" } as const
      return sends(state, { kind: "submit", op: { ...said, ...optional("holds", command.holds) } })
    }
    case "done": {
      const { state: next, effects } = sends(command.outcome.state)
      return only(next, ...effects, ...echoed(text, command.outcome.effects), ...command.outcome.effects)
    }
    case undefined:
  }
  const blocks = pictures.filter((block) => block !== undefined)
  if (blocks.length < pictures.length) return only({ ...state, hint: readingHint })
  const when = state.view.working ? "steer" : "queue"
  const op: Op = { type: "prompt", content: [...blocks, { type: "text", text }], when }
  return sends(state, { kind: "submit", op })
}

/** A command stands in the transcript as it was typed, unless it becomes a prompt, or opens something and leaves nothing there. */
function echoed(text: string, effects: readonly Effect[]): readonly Effect[] {
  if (effects.some((effect) => effect.kind === "submit" && effect.op.type === "prompt")) return []
  if (effects.every(({ kind }) => kind === "panel" || kind === "palette")) return []
  // A key typed after the command must not be seen.
  const shown = text.replace(/^(\/login)\s.*$/s, "$1")
  return [{ kind: "print", items: [{ kind: "prompt", text: shown }], detail: "folded" }]
}

function sends(state: TuiState, ...effects: readonly Effect[]): TuiOutcome {
  const { editor } = state
  const next: TuiState = { ...state, editor: sent(editor), completion: undefined, help: "hidden" }
  const line = lineOf(editor)
  // A key typed after the command must not come into the history.
  const remembers: readonly Effect[] = /^\/login\s/.test(line) ? [] : [{ kind: "remember", line }]
  return only(unstashed(next), ...remembers, ...effects)
}
