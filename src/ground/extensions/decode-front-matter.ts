/**
 * The one decoder for the front matter of commands, skills, agents and styles. A limit is understood, or the file is
 * rejected.
 */

import { optional } from "#lib/optional.ts"
import { nearNames, isTypo } from "#lib/near.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import {
  comparable,
  fieldOf,
  type FieldName,
  type FieldType,
  fields,
  type FileKind,
  namesFor,
  spelled,
} from "./fields.ts"
import { splitFrontMatter } from "./split-front-matter.ts"
import { type HeadFault, readFields, type WrittenField } from "./read-fields.ts"
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
        return failed(
          `its front matter has no second line of dashes, and it has the field ${limit}; end it with a line of three dashes`,
        )
      return ok({ ...frontMatterOf(new Map(), [unclosedWords]), body })
    }
    case "misopened": {
      const limit = limitIn(body.split("\n"), kind)
      if (limit !== undefined)
        return failed(`its front matter has the field ${limit}, and must begin with a line of three dashes: ---`)
      return ok({ ...frontMatterOf(new Map(), []), body })
    }
    case "head": {
      const written = readFields(split.head, (key) => fieldOf(key, kind) !== undefined)
      const head = written.ok ? understand(kind, written.value) : written
      if (head.ok) return ok({ ...head.value, body })
      const { what, at } = head.failure
      return failed(at === undefined ? what : `line ${split.line + at}: ${what}`)
    }
  }
}

/** For fields given as JSON. */
export function decodeFields(kind: FileKind, values: JsonObject): Result<FrontMatter, string> {
  const written = Object.entries(values).map(([key, value]) => ({
    key,
    value,
    source: typeof value === "string" ? value : "",
  }))
  const head = understand(kind, written)
  return head.ok ? head : failed(head.failure.what)
}

function understand(kind: FileKind, written: readonly WrittenField[]): Result<FrontMatter, HeadFault> {
  const found = new Map<FieldName, Understood>()
  const problems: string[] = []
  for (const one of written) {
    const fault = (what: string): Result<never, HeadFault> => failed({ what, ...optional("at", one.at) })
    const swallowed =
      limitIn(one.lines?.slice(1) ?? [], kind) ?? (one.key === "" ? limitIn(one.lines ?? [], kind) : undefined)
    if (swallowed !== undefined) return fault(insideWords(swallowed))
    const name = fieldOf(one.key, kind)
    if (name === undefined) {
      const unknown = unknownField(one, kind)
      if (!unknown.ok) return fault(unknown.failure)
      problems.push(...unknown.value)
      continue
    }
    const { weight, unsupported } = fields[name]
    if (one.within) {
      if (weight === "plain") continue
      return fault(insideWords(one.key))
    }
    if (found.has(name)) {
      if (weight !== "plain") return fault(`${one.key} is written twice; keep one of them`)
      problems.push(`${one.key} is written twice; the last one counts.`)
    }
    const value = valueFor(name, one)
    if (!value.ok && weight !== "plain") return fault(value.failure)
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
  const { key, value, source, lines, tag } = written
  // YAML reads `!x` as a mark on what follows. In a text it is a part of it, and in a limit it could mean "not".
  const isMarked = tag !== undefined && (!nested.includes(reads) || source.startsWith(tag))
  if (isMarked && weight !== "plain") return failed(`${key} has ${tag} in it; remove the ! or use quotes`)
  if (isMarked && reads === "text") return ok(source.trim())
  if (value === null || value === "") return ok(reads === "names" ? [] : undefined)
  // Where YAML gave up, a limit is taken only from a line that can mean one thing.
  if (lines !== undefined && weight !== "plain") {
    const items = reads === "names" && lines.length === 1 ? plainList(source) : undefined
    if (items) return ok(items)
    return reads === "text" && lines.length === 1 && /^[\w-]+$/.test(source)
      ? ok(source)
      : failed(
          `${key} cannot be read; ${reads === "names" ? "write names with commas: Read, Grep" : "put it in quotes"}`,
        )
  }
  const read = readers[reads](value, source)
  return read.ok ? read : failed(`${key} ${read.failure}`)
}

const nested: readonly FieldType[] = ["hooks", "servers", "text"]

const insideWords = (key: string): string => `its field ${key} stands inside another one; begin its line at the left`

function unknownField({ key: written, value }: WrittenField, kind: FileKind): Result<readonly string[], string> {
  const names = namesFor(kind)
  const inner = isObject(value) && comparable(written) !== "metadata" ? Object.keys(value) : []
  const limit = inner.find((key) => isLimit(key, kind))
  if (limit !== undefined) return failed(insideWords(limit))
  const slip = names.find((name) => fields[name].weight === "narrows" && isTypo(comparable(written), comparable(name)))
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
    const [, key = ""] = /^\s*["']?([A-Za-z][\w-]*)["']?[ \t]*[:=\uFF1A]/.exec(line) ?? []
    if (isLimit(key, kind)) return key
  }
  return undefined
}

function isLimit(key: string, kind: FileKind): boolean {
  const name = fieldOf(key, kind)
  return name !== undefined && fields[name].weight === "narrows"
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
