/** The panel for an API key: it is never drawn, and kept only once it was tested, or when the user insists. */

import type { LineDefinition, PanelOutcome } from "./panel.ts"

export interface KeyPort {
  /** `untested`: keeps a key although nobody could tell whether it works. */
  readonly keep: (key: string, wish: "tested" | "untested", signal: AbortSignal) => Promise<KeyKept>
}

/** The message is for the user. `untested`: not kept, but may be kept anyway. */
export interface KeyKept {
  readonly kind: "kept" | "rejected" | "untested"
  readonly message: string
}

export function keyPanel<T>({
  who,
  keysAt,
  port,
  kept,
}: {
  readonly who: string
  readonly keysAt?: string | undefined
  readonly port: KeyPort
  readonly kept: (message: string) => PanelOutcome<T>
}): LineDefinition<T> {
  let untested: string | undefined
  return {
    kind: "line",
    title: `Paste an API key for ${who}`,
    about: `${keysAt === undefined ? "" : `Get one at ${keysAt}\n`}The key is not shown. It is tested, then saved in a file that only you can read.`,
    text: "",
    shown: "secret",
    waits: "Testing the key…",
    async submit(key, signal) {
      if (!isKeyShaped(key)) return { kind: "stays", note: notAKey }
      const { kind, message } = await port.keep(key, untested === key ? "untested" : "tested", signal)
      if (kind === "kept") return kept(message)
      untested = kind === "untested" ? key : undefined
      return {
        kind: "stays",
        note: kind === "untested" ? `${message} Press Enter again to save it untested.` : message,
      }
    },
  }
}

export const isKeyShaped = (key: string): boolean => /^[!-~]{8,}$/.test(key)

export const notAKey = "That does not look like an API key: it is too short or contains spaces or unusual characters."
