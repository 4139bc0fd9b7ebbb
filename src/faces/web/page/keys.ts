/** Keys of the page. None of them decides anything, and none counts while somebody types. */

import { useEffect } from "react"

export const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ["g i", "Go to the inbox"],
  ["g s", "Go to the sessions"],
  ["g n", "New session"],
  ["g w", "Go to the workers"],
  ["j / k", "Next or previous thing that waits, or session"],
  ["a", "Move to Allow, Approve or Send of the chosen card; Enter presses it"],
  ["d", "Move to Deny, Reject or Decline of the chosen card; Enter presses it"],
  ["m", "Write a message to the session"],
  ["?", "This list"],
  ["Esc", "Close, or leave a field"],
]

const targets: { readonly [key: string]: string } = { i: "#/", s: "#/sessions", n: "#/new", w: "#/workers" }

export function useKeys(onHelp: () => void): void {
  useEffect(() => {
    let isGoing = false
    const ending = new AbortController()
    addEventListener("keydown", onKey, { signal: ending.signal })
    return () => ending.abort()

    function onKey(event: KeyboardEvent): void {
      const { target, key } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (isTyping(target)) {
        if (key === "Escape" && target instanceof HTMLElement) target.blur()
        return
      }
      const went = isGoing ? targets[key] : undefined
      isGoing = key === "g" && !isGoing
      if (went !== undefined) location.hash = went
      else if (key === "?") onHelp()
      else if (key === "j" || key === "k") step(key === "j" ? 1 : -1)
      else if (key === "a" || key === "d") aim(key === "a" ? "yes" : "no")
      else if (key === "m") document.querySelector<HTMLElement>("[data-message]")?.focus()
      else return
      event.preventDefault()
    }
  }, [onHelp])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const chosenKind = "[data-approval], [data-row]"

function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(chosenKind)]
  const now = all.findIndex((each) => each.contains(document.activeElement))
  const next = all[Math.max(0, Math.min(all.length - 1, now + (now === -1 && by < 0 ? 0 : by)))]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

/** Only moves there: what is decided is decided by pressing the button. */
function aim(answer: "yes" | "no"): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-approval]")]
  const card = cards.find((each) => each.contains(document.activeElement)) ?? cards[0]
  card?.querySelector<HTMLElement>(`[data-answer=${answer}]`)?.focus()
}
