/** Which files the model knows from an attachment: what it was told of changes, and what the user mentioned. */

import type { Entry } from "#agent/words/entry.ts"
import type { SeenFile } from "#agent/words/seen.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonValue } from "#lib/json.ts"

export const changedFilesName = "changed_files"
export const mentionName = "mention"

export function seenInAttachment({ name, data }: Entry & { readonly kind: "attachment" }): readonly SeenFile[] {
  const seen = name === changedFilesName || name === mentionName ? data?.seen : undefined
  return Array.isArray(seen) ? seen.flatMap((one: JsonValue) => seenIn(one) ?? []) : []
}

function seenIn(value: JsonValue): SeenFile | undefined {
  if (!isObject(value)) return undefined
  const { path, state, at, hash, shown } = value
  if (typeof path !== "string" || typeof state !== "string" || typeof at !== "number") return undefined
  return {
    path,
    state,
    at,
    ...optional("hash", typeof hash === "string" ? hash : undefined),
    ...optional("shown", shownIn(shown)),
  }
}

function shownIn(value: JsonValue | undefined): SeenFile["shown"] {
  if (!isObject(value)) return undefined
  const { offset, limit, pages } = value
  if (typeof offset !== "number") return undefined
  return {
    offset,
    ...optional("limit", typeof limit === "number" ? limit : undefined),
    ...optional("pages", typeof pages === "string" ? pages : undefined),
  }
}
