/** What an editor shows, without the files that the model may not see. */

import type { EditorView, ReadEditor } from "#kits/context/editor.ts"
import { optional } from "#lib/optional.ts"

export const showable =
  (readEditor: ReadEditor, isShowable: (path: string) => boolean): ReadEditor =>
  (signal) =>
    readEditor(signal)?.then((view) => view && showablePart(view, isShowable))

function showablePart(
  { openFile, selection, openTabs, diagnostics }: EditorView,
  isShowable: (path: string) => boolean,
): EditorView {
  const known = new Map<string, boolean>()
  const isShown = (path: string): boolean => {
    const shown = known.get(path) ?? isShowable(path)
    known.set(path, shown)
    return shown
  }
  return {
    ...optional("openFile", openFile !== undefined && isShown(openFile) ? openFile : undefined),
    ...optional("selection", selection && isShown(selection.path) ? selection : undefined),
    ...optional("openTabs", openTabs?.filter(isShown)),
    ...optional(
      "diagnostics",
      diagnostics?.filter(({ path }) => isShown(path)),
    ),
  }
}
