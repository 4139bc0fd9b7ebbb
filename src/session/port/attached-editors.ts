/** Editors that have attached to a session which another process has open: the session sees their unsaved text. See decision 135. */

import type { EditorBuffers } from "#ground/workspace/editor-buffers.ts"

export interface AttachedEditors {
  readonly buffers: EditorBuffers
  /** Returns what ends it. */
  readonly add: (editor: EditorBuffers) => () => void
}

/** Where there are several, the one that came last is asked first. */
export function openAttachedEditors(): AttachedEditors {
  let editors: readonly EditorBuffers[] = []
  return {
    add(editor) {
      editors = [editor, ...editors]
      return () => void (editors = editors.filter((each) => each !== editor))
    },
    buffers: {
      isThere: () => editors.length > 0,
      async read(path, signal) {
        for (const editor of editors) {
          const text = await editor.read(path, signal)
          if (text !== undefined) return text
        }
        return undefined
      },
      async write(path, text, signal) {
        for (const editor of editors) if ((await editor.write?.(path, text, signal)) === true) return true
        return false
      },
    },
  }
}
