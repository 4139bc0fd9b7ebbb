/** A note after `#`: asks which memory file gets it. */

import type { Op } from "#agent/words/op.ts"
import { forConsent } from "#lib/printable.ts"
import type { SessionPort } from "#session/port/session.ts"
import { pick } from "./pick.ts"

/** Returns what to print at the end, if anything. */
export async function saveNote(
  line: string,
  parts: {
    readonly session: SessionPort
    readonly ask: (words: string) => Promise<string | undefined>
    readonly print: (text: string) => void
    /** Prints the reason if it is refused. */
    readonly submit: (op: Op) => Promise<boolean>
  },
): Promise<string | undefined> {
  if (line === "") return "! Write a note after it, as in #Use tabs."
  const files = await parts.session.ask({ type: "memory" })
  if (files.length === 0) return "! No memory file can be written here."
  const rows = files.map(({ label, path }, i) => `${i + 1}. ${label}, ${forConsent(path)}`)
  parts.print(["Save this note to:", ...rows].join("\n"))
  const picked = await pick(files, parts.ask)
  if (picked === undefined || typeof picked === "string") return "The note is not saved."
  const { label, path } = picked
  return (await parts.submit({ type: "remember", path, line })) ? `Saved to ${label}, ${forConsent(path)}.` : undefined
}
