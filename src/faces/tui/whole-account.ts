/** After a turn, tells what it changed in files when that is more than its edits showed: commands change files too. */

import type { Event } from "#agent/words/event.ts"
import type { View } from "#faces/view/view.ts"
import type { Session } from "#session/session.ts"

export interface WholeAccount {
  /** `view`: after the event. */
  readonly hear: (event: Event, view: View) => void
}

export function openWholeAccount(summary: Session["look"]["summary"], tell: (text: string) => void): WholeAccount {
  let isKept = false

  /** Comes a moment after the end of the turn, which does not wait for it. */
  async function account(told: { readonly created: number; readonly modified: number }): Promise<void> {
    const whole = await summary()
    if (!whole.ok || whole.value.text === "") return
    const { created, modified, removed, text } = whole.value
    const isTold = created.length === told.created && modified.length === told.modified && removed.length === 0
    if (!isTold) tell(`${text}, with what commands did; /rewind to undo`)
  }

  return {
    hear(event, { items }) {
      if (event.type !== "entry") return
      if (event.entry.kind === "turn_start") isKept = false
      if (event.entry.kind === "snapshot") isKept = true
      // Where nothing was kept, nothing was changed, and nothing is asked.
      if (event.entry.kind !== "turn_end" || !isKept) return
      const end = items.at(-1)
      const files = end?.kind === "end" ? end.files : { created: [], modified: [] }
      void account({ created: files.created.length, modified: files.modified.length })
    },
  }
}
