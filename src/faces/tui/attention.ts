/** Tells whoever looks elsewhere whether it works or waits for them: in the title, as progress, by a bell and a notification. */

import { forConsent } from "#lib/printable.ts"
import type { Terminal } from "./terminal.ts"

export const notificationKinds = ["desktop", "bell", "off"] as const
export type Notifications = (typeof notificationKinds)[number]

export interface Attention {
  readonly show: (state: "asks" | "works" | "rests") => void
  /** The session waits for the user. */
  readonly call: (why: string) => void
}

const marks = { asks: "? ", works: "* ", rests: "" } as const

export function openAttention(terminal: Terminal, title: string, notifications: Notifications): Attention {
  const name = forConsent(title)
  let shown: keyof typeof marks | undefined
  return {
    show(state) {
      if (state === shown) return
      shown = state
      terminal.setTitle(`${marks[state]}${name} - codewright`)
      terminal.setProgress(state === "works" ? "busy" : "none")
    },
    call(why) {
      if (notifications !== "off") terminal.ring()
      if (notifications === "desktop") terminal.notify(`${name}: ${forConsent(why)}`)
    },
  }
}
