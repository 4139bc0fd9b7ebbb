/** Files as the editor has them, asked for one by one. */

import { fileAnswer, readParams } from "./params.ts"
import type { ClientLink } from "./run.ts"

export interface EditorFiles {
  /** Undefined if the editor cannot tell. */
  readonly read: (path: string, signal: AbortSignal) => Promise<string | undefined>
  /** Whether the editor took it. */
  readonly write: (path: string, text: string, signal: AbortSignal) => Promise<boolean>
}

export const openEditorFiles = (sessionId: string, { rpc }: Pick<ClientLink, "rpc">): EditorFiles => ({
  async read(path, signal) {
    const asked = await rpc.request("fs/read_text_file", { sessionId, path }, { signal })
    const read = asked.ok ? readParams(fileAnswer, asked.value) : asked
    return read.ok ? read.value.content : undefined
  },
  async write(path, content, signal) {
    return (await rpc.request("fs/write_text_file", { sessionId, path, content }, { signal })).ok
  },
})
