/** The note that is kept with a session's files: what git itself does not keep of a clone. */

import { isObject, type JsonValue, objectIn } from "#lib/json.ts"

export interface TreeNote {
  /** The branch that is checked out, or a commit. */
  readonly head: string
  readonly refs: readonly NotedRef[]
  /** How what is staged differs from the commit that is checked out; several stages of a path while it has conflicts. */
  readonly staged: readonly StagedPath[]
  readonly emptyFolders: readonly string[]
  readonly modes: readonly (readonly [path: string, mode: number])[]
  /** Whose commits they are, if the session said so. */
  readonly author: { readonly name?: string; readonly email?: string }
  /** What stays behind, with a slash after folders. */
  readonly stays: readonly string[]
}

export interface NotedRef {
  readonly name: string
  readonly id: string
  /** The text of an annotated tag. */
  readonly tag?: string
}

/** Without an object, the path is not in the index. */
export interface StagedPath {
  readonly path: string
  readonly mode: string
  readonly id: string
  readonly stage: number
}

export const encodeNote = (note: TreeNote): string => JSON.stringify({ format: 1, ...note })

/** Undefined if it is not such a note. */
export function decodeNote(text: string): TreeNote | undefined {
  const value = objectIn(text)
  if (!value || value.format !== 1 || typeof value.head !== "string") return undefined
  const author = isObject(value.author) ? value.author : {}
  return {
    head: value.head,
    refs: list(value.refs).flatMap((each) => {
      if (!isObject(each) || typeof each.name !== "string" || typeof each.id !== "string") return []
      return [{ name: each.name, id: each.id, ...(typeof each.tag === "string" && { tag: each.tag }) }]
    }),
    staged: list(value.staged).flatMap((each) => {
      if (!isObject(each)) return []
      const { path, mode, id, stage } = each
      const isOne =
        typeof path === "string" && typeof mode === "string" && typeof id === "string" && typeof stage === "number"
      return isOne ? [{ path, mode, id, stage }] : []
    }),
    emptyFolders: texts(value.emptyFolders),
    modes: list(value.modes).flatMap((each) => {
      const [path, mode] = list(each)
      return typeof path === "string" && typeof mode === "number" ? [[path, mode] as const] : []
    }),
    author: {
      ...(typeof author.name === "string" && { name: author.name }),
      ...(typeof author.email === "string" && { email: author.email }),
    },
    stays: texts(value.stays),
  }
}

const list = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : []

const texts = (value: JsonValue | undefined): readonly string[] =>
  list(value).filter((each): each is string => typeof each === "string")
