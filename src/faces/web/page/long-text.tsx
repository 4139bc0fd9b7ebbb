/** What somebody wrote, folded where it is long: what waits below it stays in sight. */

import { type ReactNode, useState } from "react"
import { counted } from "#lib/figures.ts"
import { legibleText } from "./legible.ts"

/** About a third of a phone's screen. */
const [mostLines, mostCharacters] = [8, 500]

export function LongText({ text }: { readonly text: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const whole = legibleText(text).trim()
  const head = headOf(whole)
  if (head === whole) return whole
  return (
    <>
      {isOpen ? whole : `${head} …`}
      <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Show less" : `Show all ${counted(whole.split("\n").length, "line")}`}
      </button>
    </>
  )
}

/** Cut only if that saves something worth a button. */
function headOf(text: string): string {
  const lines = text.split("\n")
  if (lines.length <= mostLines * 1.5 && text.length <= mostCharacters * 1.5) return text
  const head = lines.slice(0, mostLines).join("\n")
  if (head.length <= mostCharacters) return head
  const cut = head.slice(0, mostCharacters)
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), mostCharacters / 2)).toWellFormed()
}
