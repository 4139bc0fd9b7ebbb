/**
 * Before a call changes a file that is open in an editor, its unsaved text is saved: undo then restores that text. Searches and commands see
 * files as they are on disk, and the model is told where that differs from the editor.
 */

import type { Kit } from "#agent/words/kit.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { ResultContent } from "#agent/words/message.ts"
import type { BufferedFiles } from "#ground/workspace/editor-buffers.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { liesInOne } from "#lib/lies-in.ts"

export const saveBuffers = (files: Pick<BufferedFiles, "save" | "unsaved">): Kit => ({
  name: "save buffers",
  async middleware(call, next) {
    await Promise.all(call.footprint.writes.map((path) => files.save(realPath(path), call.signal)))
    const unsaved = seesDisk(call) ? (await files.unsaved(call.signal)).filter((path) => concerns(call, path)) : []
    const outcome = await next(call)
    return unsaved.length === 0 ? outcome : { ...outcome, content: withNote(outcome.content, unsaved) }
  },
})

const seesDisk = ({ footprint, tool }: Call): boolean => footprint.runs.length > 0 || tool.gathers === "pattern"

/** A command may read anything. */
const concerns = ({ footprint: { reads, runs } }: Call, path: string): boolean =>
  runs.length > 0 || liesInOne(path, reads.map(realPath))

function withNote(content: ResultContent, unsaved: readonly string[]): ResultContent {
  const note = `[Not saved in the editor, so seen here as on disk: ${unsaved.join(", ")}. Read shows the unsaved text.]`
  return typeof content === "string" ? `${content}\n${note}` : [...content, { type: "text", text: note }]
}
