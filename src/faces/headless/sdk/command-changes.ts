/** Tells a client when the list of commands is another one than it knows: servers bring prompts along. */

import type { Session } from "#session/port/session.ts"
import type { Envelope } from "./envelope.ts"
import { commandRows } from "./introduction.ts"

export interface CommandChanges {
  /** The list that the client has now. */
  readonly known: (commands: readonly object[]) => void
  /** The message for a client that knows another list. */
  readonly changes: () => Promise<object | undefined>
}

export function openCommandChanges({ ask }: Pick<Session, "ask">, { stamp }: Envelope): CommandChanges {
  let known: string | undefined
  return {
    known: (commands) => void (known = JSON.stringify(commands)),
    async changes() {
      const commands = commandRows(await ask({ type: "commands" }))
      const now = JSON.stringify(commands)
      if (known === undefined || known === now) return undefined
      known = now
      return { type: "system", subtype: "commands_changed", commands, ...stamp() }
    },
  }
}
