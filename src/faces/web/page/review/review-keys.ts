/** Keys of a review: to the next file or change, to fold, and to comment. None of them keeps or undoes anything. */

import { useEffect, useRef } from "react"
import { isTyping } from "#faces/web/page/keys.ts"
import type { Block } from "./review-blocks.ts"

export interface ReviewKeysParts {
  readonly blocks: readonly Block[]
  /** The block at the top of the window. */
  readonly top: number
  readonly goTo: (key: string) => void
  readonly onFold: () => void
  readonly onView: () => void
}

export function useReviewKeys(parts: ReviewKeysParts): void {
  const now = useRef(parts)
  useEffect(() => {
    now.current = parts
  })
  useEffect(() => {
    const ending = new AbortController()
    // Before those of the page, some of which have the same keys.
    document.addEventListener("keydown", onKey, { capture: true, signal: ending.signal })
    return () => ending.abort()

    function onKey(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return
      const { blocks, top, goTo, onFold, onView } = now.current
      const kind = event.key === "j" || event.key === "k" ? "file" : "hunk"
      switch (event.key) {
        case "j":
        case "n":
          go(
            goTo,
            blocks.slice(top + 1).find((block) => block.kind === kind),
          )
          break
        case "k":
        case "p":
          go(
            goTo,
            blocks.slice(0, top).findLast((block) => block.kind === kind),
          )
          break
        case "f":
          onFold()
          break
        case "s":
          onView()
          break
        case "/":
          document.querySelector<HTMLElement>("[data-filter]")?.focus()
          break
        case "c":
          firstLine()?.click()
          break
        default:
          return
      }
      event.preventDefault()
      event.stopPropagation()
    }
  }, [])
}

const go = (goTo: (key: string) => void, block: Block | undefined): void => block && goTo(block.key)

/** The first changed line in sight, below what stays at the top. */
function firstLine(): HTMLElement | undefined {
  const lines = [
    ...document.querySelectorAll<HTMLElement>(
      "tr.added [data-line], tr.removed [data-line], td.added [data-line], td.removed [data-line]",
    ),
  ]
  return lines.find((each) => each.getBoundingClientRect().top > 90) ?? lines[0]
}
