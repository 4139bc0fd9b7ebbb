/** Counts the files that a turn changed, where commands may have changed more than its edits showed. */

import type { Event } from "#agent/words/event.ts"
import { type ChangedFiles, noFiles } from "#faces/view/changed.ts"
import type { View } from "#faces/view/view.ts"
import type { SessionPort } from "#session/port/session.ts"

export interface FileCount {
  /** `view`: after the event. */
  readonly onEvent: (event: Event, view: View) => void
}

export function openFileCount(
  { ask }: Pick<SessionPort, "ask">,
  cwd: string,
  listener: {
    readonly begins: () => void
    readonly ends: (files: ChangedFiles) => void
  },
): FileCount {
  let isKept = false
  const isOutside = (path: string): boolean => path.startsWith("/") && !path.startsWith(`${cwd}/`)

  async function count(edited: ChangedFiles): Promise<ChangedFiles> {
    const summary = await ask({ type: "summary" })
    if (!summary.ok) return edited
    const { created, modified, removed } = summary.value
    // Snapshots know nothing of files outside the folder.
    return {
      created: [...created, ...edited.created.filter(isOutside)],
      modified: [...modified, ...edited.modified.filter(isOutside)],
      removed,
    }
  }

  return {
    onEvent(event, { items }) {
      if (event.type !== "entry") return
      if (event.entry.kind === "turn_start") isKept = false
      if (event.entry.kind === "snapshot") isKept = true
      // Where no snapshot was taken, nothing was changed.
      if (event.entry.kind !== "turn_end" || !isKept) return
      const end = items.at(-1)
      const edited = end?.kind === "end" ? end.files : noFiles
      listener.begins()
      void count(edited).then(listener.ends, () => listener.ends(edited))
    },
  }
}
