/** What is asked of the session and printed: requests, the plan, and what commands come to. */

import type { Item } from "#faces/view/item.ts"
import { grow, nothing } from "#faces/view/pieces.ts"
import type { SessionPort } from "#session/port/session.ts"
import { doneText } from "#session/slash/done.ts"
import { inspectedText } from "#session/slash/inspect-text.ts"
import { type Effect, note } from "./effect.ts"
import { inspectedItem } from "./inspected.ts"

export type ShowEffect = Extract<Effect, { kind: "inspect" | "plan" | "slash" }>

export function openShowing({
  session,
  onEffect,
  editFile,
  shortPath = String,
  isOver,
}: {
  readonly session: Pick<SessionPort, "ask">
  readonly onEffect: (effect: Effect) => void
  readonly editFile: (path: string) => Promise<void>
  readonly shortPath?: ((path: string) => string) | undefined
  readonly isOver: () => boolean
}): (effect: ShowEffect) => Promise<void> {
  async function inspect(words: string): Promise<void> {
    const shown = await inspectedText(session.ask, words)
    if (!shown.ok) return onEffect(note(shown.failure, "error"))
    onEffect({ kind: "print", items: [inspectedItem(shown.value)], detail: "full" })
  }

  async function slash(typed: string): Promise<void> {
    const [name = "", ...rest] = typed.split(" ")
    const answer = await session.ask({ type: "command", name, args: rest.join(" ") })
    if (!answer || isOver()) return
    const { ops = [], isError, resume, fork, copy } = answer
    if (resume !== undefined) return onEffect({ kind: "leave", resume, ...(fork && { fork }) })
    if (copy !== undefined) onEffect({ kind: "copy", text: copy })
    for (const op of ops) onEffect({ kind: "submit", op })
    const text = answer.text === "" ? ops.map(doneText).join("\n") : answer.text
    if (text !== "") onEffect(note(text, isError ? "error" : "info"))
  }

  async function plan(wish: "show" | "edit"): Promise<void> {
    const made = await session.ask({ type: "plan" })
    if (made?.text !== undefined && wish === "edit") return editFile(made.path)
    if (made?.text !== undefined)
      return onEffect({ kind: "print", items: planItems(shortPath(made.path), made.text), detail: "full" })
    if (wish === "edit") return onEffect(note("There is no plan yet. /plan to start one.", "error"))
    onEffect({ kind: "submit", op: { type: "set_mode", mode: "plan" } })
  }

  return async (effect) => {
    switch (effect.kind) {
      case "inspect":
        return inspect(effect.words)
      case "slash":
        return slash(effect.typed)
      case "plan":
        return plan(effect.wish)
    }
  }
}

function planItems(path: string, text: string): readonly Item[] {
  const { settled, open } = grow(nothing, text)
  return [
    { kind: "notice", level: "info", text: `The plan, in ${path} (/plan edit opens it):` },
    ...[...settled, open].map((piece): Item => ({ kind: "text", messageId: "", finished: true, piece })),
  ]
}
