/** Queued prompts on their way back into the editor. */

import type { WithdrawnPrompt } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { type Editor, replaced } from "./editor/editor.ts"
import { type LineKind, markedLine, readLine } from "./editor/line.ts"
import { pictureName, pictureNames, type Placeholders, type Stand } from "./editor/placeholders.ts"
import type { TuiState } from "./state.ts"

/** Identifies what this terminal took back itself. */
const by = "terminal"

export const withdrawAll: Op = { type: "withdraw", what: "all", by }
export const withdrawLast: Op = { type: "withdraw", what: "last", by }
/** Queued prompts return to the editor. */
export const stopAndTakeBack: Op = { type: "interrupt", withdraw: by }

/** Unchanged if the event is about something else. */
export function withReturned(state: TuiState, event: Event): TuiState {
  if (event.type !== "entry" || event.entry.kind !== "withdrawn" || event.entry.by !== by) return state
  return { ...state, editor: returned(state.editor, event.entry.prompts), completion: undefined, search: undefined }
}

interface DraftPart {
  readonly kind: LineKind
  readonly text: string
}

/** In order before the draft, a line each. */
function returned(editor: Editor, prompts: readonly WithdrawnPrompt[]): Editor {
  let { placeholders } = editor
  const parts = prompts.map((prompt): DraftPart => {
    const named = withPictures(prompt, placeholders)
    placeholders = named.placeholders
    return { kind: prompt.as === "shell" ? "shell" : "prompt", text: named.text }
  })
  const draft = draftOf(editor)
  const all = draft.text === "" ? parts : [...parts, draft]
  const kind = all[0]?.kind ?? "prompt"
  // A line of another kind must not become part of a shell command or a note.
  const isOneKind = all.every((part) => part.kind === kind)
  const text = all.map((part) => (isOneKind ? part.text : markedLine(part.kind, part.text))).join("\n")
  return { ...replaced(editor, text), kind: isOneKind ? kind : "prompt", placeholders }
}

/** While history is shown, the draft is what was there before. */
function draftOf({ buffer, kind, history }: Editor): DraftPart {
  return history.back === 0 ? { kind, text: buffer.text } : readLine(history.draft)
}

/** Renames pictures so that they do not collide with the draft's. */
function withPictures(
  { content }: WithdrawnPrompt,
  taken: Placeholders,
): { readonly text: string; readonly placeholders: Placeholders } {
  const pictures = content.filter((block) => block.type === "image")
  const placeholders: { [name: string]: Stand } = { ...taken }
  let text = textOf(content)
  const old = pictureNames(text)
  const renamed = new Map<string, string>()
  for (const [index, block] of pictures.entries()) {
    const name = pictureName(placeholders)
    placeholders[name] = { kind: "picture", block }
    const before = old[index]
    if (before === undefined) text = `${name} ${text}`
    else renamed.set(before, name)
  }
  return { text: text.replace(/\[Image #\d+\]/g, (name) => renamed.get(name) ?? name), placeholders }
}
