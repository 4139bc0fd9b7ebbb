/** Which memory files the model was told of, according to attachments in the log and after a compaction. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import type { JsonObject } from "#lib/json.ts"
import type { MemoryFile } from "./memory.ts"

export const contextName = "user_context"
export const memoryName = "memory"

export const filesTold = (files: readonly MemoryFile[]): JsonObject => ({ files: files.map(({ path }) => path) })

export function memoryFilesOf({ name, text, data }: Attachment): readonly string[] {
  if (name !== contextName && name !== memoryName) return []
  return filesIn(data) ?? namedIn(text)
}

export function memoryFilesAfter({ added, messages }: Entry & { readonly kind: "compaction" }): readonly string[] {
  if (!added) return messages.flatMap(({ content }) => namedIn(textOf(content)))
  return added.flatMap(({ name, data }) => (name === contextName || name === memoryName ? (filesIn(data) ?? []) : []))
}

export const filesIn = (data: JsonObject | undefined): readonly string[] | undefined =>
  Array.isArray(data?.files) ? data.files.filter((path) => typeof path === "string") : undefined

/** For logs of older versions only, whose attachments did not name their files: a memory file can imitate these words. */
const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/^Contents of (.+) \((?:set by|the user's|of this|brought in)[^\n]*\):$/gm)].map(
    ([, path]) => path ?? "",
  )
