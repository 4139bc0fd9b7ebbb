/** How the end of a turn waits for the count of its files, and gets it. */

import type { ChangedFiles } from "./changed.ts"
import type { EndItem } from "./item.ts"
import type { View } from "./view.ts"

export const countingFiles = (view: View): View => changeEnd(view, (end) => ({ ...end, isCounting: true }))

export const countedFiles = (view: View, files: ChangedFiles): View =>
  changeEnd(view, ({ isCounting: _counted, ...end }) => ({ ...end, files }))

function changeEnd(view: View, change: (end: EndItem) => EndItem): View {
  const at = view.items.findLastIndex(({ kind }) => kind === "end")
  const end = view.items[at]
  return end?.kind === "end" ? { ...view, items: view.items.with(at, change(end)) } : view
}
