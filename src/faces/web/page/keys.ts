/** Keys of the page. None of them decides anything, and none counts while somebody types. */

import { useEffect } from "react"

export const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl+K", "Find a session or a screen"],
  ["g i", "Go to the inbox"],
  ["g s", "Go to the sessions"],
  ["g n", "New session"],
  ["g w", "Go to the workers"],
  ["g u", "Go to the usage"],
  ["j / k", "Next or previous thing that waits, or session"],
  ["a", "Move to Allow, Approve or Send of the chosen card; Enter presses it"],
  ["d", "Move to Deny, Reject or Decline of the chosen card; Enter presses it"],
  ["n / p", "Next or previous change"],
  ["c", "In a review: comment on the first changed line in sight"],
  ["f / s", "In a review: fold the file, or side by side"],
  ["/", "Search sessions, or filter files"],
  ["m", "Write a message to the session"],
  ["?", "This list"],
  ["Esc", "Close, or leave a field"],
]

const targets: { readonly [key: string]: string } = {
  i: "#/",
  s: "#/sessions",
  n: "#/new",
  w: "#/workers",
  u: "#/usage",
}

export function useKeys(onHelp: () => void, onPalette: () => void): void {
  useEffect(() => {
    let isGoing = false
    const ending = new AbortController()
    addEventListener("keydown", onKey, { signal: ending.signal })
    return () => ending.abort()

    function onKey(event: KeyboardEvent): void {
      const { target, key } = event
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "k") {
        event.preventDefault()
        return onPalette()
      }
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
      else if (key === "n" || key === "p") stepChange(key === "n" ? 1 : -1)
      else if (key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus()
      else if (key === "m") document.querySelector<HTMLElement>("[data-message]")?.focus()
      else return
      event.preventDefault()
    }
  }, [onHelp, onPalette])
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const chosenKind = "[data-approval], [data-row]"

function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(chosenKind)]
  const now = all.findIndex((each) => each.contains(document.activeElement))
  const next = all[Math.max(0, Math.min(all.length - 1, now + (now === -1 && by < 0 ? 0 : by)))]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

/** To the next change of a file in a conversation. */
function stepChange(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(".conversation figure.diff")]
  const tops = all.map((each) => each.getBoundingClientRect().top - changeMargin)
  const nth = by > 0 ? tops.findIndex((top) => top > 2) : tops.findLastIndex((top) => top < -2)
  all[nth]?.scrollIntoView({ block: "start" })
  // Whoever does not see the page is there too.
  all[nth]?.querySelector<HTMLElement>("[tabindex]")?.focus({ preventScroll: true })
}

/** Below the head of the session, as the style says. */
const changeMargin = 120

/** Only moves there: what is decided is decided by pressing the button. */
function aim(answer: "yes" | "no"): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-approval]")]
  const card = cards.find((each) => each.contains(document.activeElement)) ?? cards[0]
  card?.querySelector<HTMLElement>(`[data-answer=${answer}]`)?.focus()
}
