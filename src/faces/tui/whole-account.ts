/** After a turn, tells what it changed in files when that is more than its edits showed: commands change files too. */

import type { Event } from "#agent/words/event.ts"
import { noFiles } from "#faces/view/changed.ts"
import type { View } from "#faces/view/view.ts"
import type { SessionPort } from "#session/port/session.ts"

export interface WholeAccount {
  /** `view`: after the event. */
  readonly hear: (event: Event, view: View) => void
}

export function openWholeAccount(
  { ask }: Pick<SessionPort, "ask">,
  cwd: string,
  tell: (text: string) => void,
): WholeAccount {
  let isKept = false
  // An edit is shown by the path its tool used, which may be whole or from the project's folder.
  const whole = (path: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`)

  /** Comes a moment after the end of the turn, which does not wait for it. */
  async function account(told: ReadonlySet<string>): Promise<void> {
    const summary = await ask({ type: "summary" })
    if (!summary.ok) return
    const { created, modified, removed, text } = summary.value
    const isTold = [...created, ...modified, ...removed].every((path) => told.has(whole(path)))
    if (!isTold) tell(`${told.size > 0 ? "All together " : ""}${text}; /rewind to undo`)
  }

  return {
    hear(event, { items }) {
      if (event.type !== "entry") return
      if (event.entry.kind === "turn_start") isKept = false
      if (event.entry.kind === "snapshot") isKept = true
      // Where nothing was kept, nothing was changed, and nothing is asked.
      if (event.entry.kind !== "turn_end" || !isKept) return
      const end = items.at(-1)
      const { created, modified } = end?.kind === "end" ? end.files : noFiles
      // A session that is gone by then has nothing more to tell.
      void account(new Set([...created, ...modified].map(whole))).catch(() => {})
    },
  }
}
