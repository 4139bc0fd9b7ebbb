/** Before a call changes a file that is open in an editor, its unsaved text is saved: undo then restores that text. */

import type { Kit } from "#agent/words/kit.ts"
import type { BufferedFiles } from "#ground/workspace/editor-buffers.ts"
import { realPath } from "#ground/workspace/paths.ts"

export const saveBuffers = (files: Pick<BufferedFiles, "save">): Kit => ({
  name: "save buffers",
  async middleware(call, next) {
    await Promise.all(call.footprint.writes.map((path) => files.save(realPath(path), call.signal)))
    return next(call)
  },
})
