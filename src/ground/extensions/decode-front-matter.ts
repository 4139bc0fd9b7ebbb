/**
 * The one decoder for the front matter of commands, skills, agents and styles. A limit is understood, or the file is
 * rejected.
 */

import { nearNames, isSlip } from "#lib/near.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { comparable, fieldOf, type FieldName, fields, type FileKind, namesFor, spelled } from "./fields.ts"
import { splitFrontMatter } from "./split-front-matter.ts"
import { readFields, type WrittenField } from "./read-fields.ts"
import { plainList, readers, type Understood } from "./readings.ts"

export interface FrontMatter {
  readonly text: (name: FieldName) => string | undefined
  readonly flag: (name: FieldName) => boolean | undefined
  readonly count: (name: FieldName) => number | undefined
  readonly list: (name: FieldName) => readonly string[] | undefined
  readonly object: (name: FieldName) => JsonObject | undefined
  /** What was left out, and what has no effect: one sentence each. */
  readonly problems: readonly string[]
}

/** The failure says why the file is rejected: "its front matter is too large". */
export function decodeFrontMatter(
  kind: FileKind,
  text: string,
): Result<FrontMatter & { readonly body: string }, string> {
  const split = splitFrontMatter(text)
  const { body } = split
  switch (split.kind) {
    case "none":
      return ok({ ...frontMatterOf(new Map(), []), body })
    case "too_large":
      return failed("its front matter is larger than 64 kB")
    case "unclosed": {
      const limit = limitIn(body.split("\n"), kind)
      if (limit !== undefined)
        return failed(`its front matter has no second line of dashes, and it has the field ${limit}`)
      return ok({ ...frontMatterOf(new Map(), [unclosedWords]), body })
    }
    case "head": {
      const written = readFields(split.head, (key) => fieldOf(key, kind) !== undefined)
      if (!written.ok) return written
      const head = understand(kind, written.value)
      return head.ok ? ok({ ...head.value, body }) : head
    }
  }
}

/** For fields given as JSON. */
export const decodeFields = (kind: FileKind, values: JsonObject): Result<FrontMatter, string> =>
  understand(
    kind,
    Object.entries(values).map(([key, value]) => ({ key, value, source: typeof value === "string" ? value : "" })),
  )

function understand(kind: FileKind, written: readonly WrittenField[]): Result<FrontMatter, string> {
  const found = new Map<FieldName, Understood>()
  const problems: string[] = []
  for (const one of written) {
    const swallowed =
      limitIn(one.lines?.slice(1) ?? [], kind) ?? (one.key === "" ? limitIn(one.lines ?? [], kind) : undefined)
    if (swallowed !== undefined) return failed(`its field ${swallowed} stands inside another one`)
    const name = fieldOf(one.key, kind)
    if (name === undefined) {
      const unknown = unknownField(one.key, kind)
      if (!unknown.ok) return unknown
      problems.push(...unknown.value)
      continue
    }
    const { weight, unsupported } = fields[name]
    if (one.within) {
      if (weight === "plain") continue
      return failed(`its field ${one.key} stands inside another one`)
    }
    if (found.has(name)) {
      if (weight !== "plain") return failed(`${one.key} is written twice`)
      problems.push(`${one.key} is written twice; the last one counts.`)
    }
    const value = valueFor(name, one)
    if (!value.ok && weight !== "plain") return failed(value.failure)
    if (!value.ok) problems.push(`${value.failure}; it is left out.`)
    else if (value.value !== undefined) {
      found.set(name, value.value)
      if (unsupported?.includes(kind)) problems.push(`${one.key} is not supported yet.`)
    }
  }
  return ok(frontMatterOf(found, problems))
}

/** Undefined if the field is empty: no value sets no limit. An empty list is a value. */
function valueFor(name: FieldName, written: WrittenField): Result<Understood | undefined, string> {
  const { reads, weight } = fields[name]
  const { key, value, source, lines } = written
  if (value === null || value === "") return ok(reads === "names" ? [] : undefined)
  // Where YAML gave up, a limit is taken only from a line that can mean one thing.
  if (lines !== undefined && weight !== "plain") {
    const items = reads === "names" && lines.length === 1 ? plainList(source) : undefined
    if (items) return ok(items)
    return reads === "text" && lines.length === 1 && /^[\w-]+$/.test(source)
      ? ok(source)
      : failed(`${key} cannot be read`)
  }
  const read = readers[reads](value, source)
  return read.ok ? read : failed(`${key} ${read.failure}`)
}

function unknownField(written: string, kind: FileKind): Result<readonly string[], string> {
  const names = namesFor(kind)
  const slip = names.find((name) => fields[name].weight === "narrows" && isSlip(comparable(written), comparable(name)))
  if (slip !== undefined) return failed(`there is no field ${written}; did you mean ${spelled(slip, kind)}?`)
  const near = nearNames(
    written,
    names.map((name) => spelled(name, kind)),
    1,
  )[0]
  return ok(near === undefined ? [] : [`there is no field ${written}; did you mean ${near}?`])
}

/** The first restricting field among lines that could not be read as fields. */
function limitIn(lines: readonly string[], kind: FileKind): string | undefined {
  for (const line of lines) {
    const [, key = ""] = /^\s*["']?([A-Za-z][\w-]*)["']?[ \t]*:/.exec(line) ?? []
    const name = fieldOf(key, kind)
    if (name !== undefined && fields[name].weight === "narrows") return key
  }
  return undefined
}

function frontMatterOf(found: ReadonlyMap<FieldName, Understood>, problems: readonly string[]): FrontMatter {
  return {
    problems,
    text: (name) => typed(found.get(name), "string"),
    flag: (name) => typed(found.get(name), "boolean"),
    count: (name) => typed(found.get(name), "number"),
    list: (name) => {
      const value = found.get(name)
      return Array.isArray(value) ? value : undefined
    },
    object: (name) => {
      const value = found.get(name)
      return isObject(value) ? value : undefined
    },
  }
}

interface Types {
  string: string
  boolean: boolean
  number: number
}

const typed = <T extends keyof Types>(value: Understood | undefined, type: T): Types[T] | undefined =>
  typeof value === type ? (value as Types[T]) : undefined

const unclosedWords = "its front matter has no second line of dashes, so all of it is taken as text."
