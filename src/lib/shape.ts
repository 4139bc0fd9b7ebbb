/** The shape of a JSON input, declared once: it gives the JSON Schema, the decoder with its errors, and the type. See decision 16. */

import { isObject, type JsonObject, type JsonValue } from "./json.ts"
import { nearNames } from "./near.ts"

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly complaints: string[] }

export interface Readable<T, Presence extends "required" | "optional" = "required"> {
  readonly json: JsonObject
  readonly read: (value: JsonValue | undefined, path: string) => Read<T>
  readonly presence: Presence
}

export interface Shape<T> extends Readable<T> {
  readonly describe: (text: string) => Shape<T>
  readonly optional: () => OptionalShape<T>
  readonly default: (value: T & JsonValue) => Shape<T>
}

export interface OptionalShape<T> extends Readable<T | undefined, "optional"> {
  readonly describe: (text: string) => OptionalShape<T>
}

export interface TextShape extends Shape<string> {
  readonly min: (length: number, complaint?: string) => TextShape
  readonly max: (length: number, complaint?: string) => TextShape
  readonly trim: () => TextShape
  readonly describe: (text: string) => TextShape
}

export interface NumberShape extends Shape<number> {
  readonly min: (least: number) => NumberShape
  readonly max: (most: number) => NumberShape
}

export interface ListShape<T> extends Shape<T[]> {
  readonly min: (length: number, complaint?: string) => ListShape<T>
  readonly max: (length: number, complaint?: string) => ListShape<T>
}

type Fields = { readonly [name: string]: Readable<unknown, "required" | "optional"> }
type OptionalName<F extends Fields> = {
  [N in keyof F]: F[N] extends Readable<unknown, "optional"> ? N : never
}[keyof F]
type ValueOf<S> = S extends Readable<infer T, "required" | "optional"> ? T : never

/** The type behind fields: what may be left out is optional. */
export type Shaped<F extends Fields> = {
  readonly [N in Exclude<keyof F, OptionalName<F>>]: ValueOf<F[N]>
} & { readonly [N in OptionalName<F>]?: ValueOf<F[N]> }

export function string(): TextShape {
  return textShape({ type: "string" }, [], false)
}

export function boolean(): Shape<boolean> {
  return shape({ type: "boolean" }, (value, path) => {
    // Models send booleans and numbers as strings now and then.
    if (value === true || value === "true") return good(true)
    return value === false || value === "false" ? good(false) : wrongKind(path, "true or false", value)
  })
}

export function int(): NumberShape {
  return numberShape({ type: "integer" })
}

export function number(): NumberShape {
  return numberShape({ type: "number" })
}

export function choice<const T extends string>(values: readonly T[]): Shape<T> {
  return shape({ type: "string", enum: [...values] }, (value, path) => {
    const found = values.find((known) => known === value)
    return found === undefined ? bad(path, `must be one of ${values.join(", ")}`) : good(found)
  })
}

export function array<T>(element: Readable<T>): ListShape<T> {
  return listShape({ type: "array", items: element.json }, element, [])
}

export function object<F extends Fields>(fields: F): Shape<Shaped<F>> {
  const names = Object.keys(fields)
  const required = names.filter(
    (name) => fields[name]?.presence === "required" && fields[name]?.json.default === undefined,
  )
  const json: JsonObject = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.json ?? {}])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return shape(json, (value, path) => {
    if (!isObject(value)) return wrongKind(path, "an object", value)
    const complaints = Object.keys(value)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => unknownField(name, names))
    const read: { [name: string]: unknown } = {}
    for (const name of names) {
      const field = fields[name]
      const inner = field?.read(
        Object.hasOwn(value, name) ? value[name] : undefined,
        path === "" ? name : `${path}.${name}`,
      )
      if (inner && !inner.ok) complaints.push(...inner.complaints)
      else if (inner?.value !== undefined) read[name] = inner.value
    }
    // Every field was read by its own shape, so the object has the type of all.
    return complaints.length > 0 ? { ok: false, complaints } : good(read as Shaped<F>)
  })
}

type Kinds = { readonly [kind: string]: Fields }
type Tagged<Tag extends string, K extends Kinds> = {
  [Kind in keyof K & string]: { readonly [tag in Tag]: Kind } & Shaped<K[Kind]>
}[keyof K & string]

/** One of several objects, told apart by the field `tag`. */
export function tagged<const Tag extends string, K extends Kinds>(tag: Tag, kinds: K): Shape<Tagged<Tag, K>> {
  const names = Object.keys(kinds)
  const shapes = new Map(names.map((name) => [name, object({ ...kinds[name], [tag]: choice([name]) })]))
  return shape({ anyOf: [...shapes.values()].map(({ json }) => json) }, (value, path) => {
    if (!isObject(value)) return wrongKind(path, "an object", value)
    const kind = value[tag]
    const found = typeof kind === "string" ? shapes.get(kind)?.read(value, path) : undefined
    if (found === undefined) return bad(path === "" ? tag : `${path}.${tag}`, `must be one of ${names.join(", ")}`)
    // Its fields were read by the shape of its kind.
    return found.ok ? good(found.value as Tagged<Tag, K>) : found
  })
}

/** For `satisfies`: all fields of a type, so that a new one is not forgotten where unknown fields are refused. */
export type FieldsOf<T> = {
  readonly [N in keyof T]-?: Readable<Exclude<T[N], undefined>, "required" | "optional">
}
/** The same for each kind of a union. */
export type KindsOf<Tag extends string, T extends { readonly [tag in Tag]: string }> = {
  readonly [Kind in T[Tag]]: FieldsOf<Omit<Extract<T, { readonly [tag in Tag]: Kind }>, Tag>>
}

/** A field that is left out of the object altogether if it is missing, as exact optional properties want it. */
export function omittable<T>({ json, read }: Readable<T>): Readable<T, "optional"> {
  // `object` keeps no field that was read as undefined.
  const nothing = good(undefined as T)
  return { json, presence: "optional", read: (value, path) => (value === undefined ? nothing : read(value, path)) }
}

/** A value that a decoder of its own reads; `what` names it in the error. */
export function decoded<T extends object | true>(
  what: string,
  decode: (value: JsonValue | undefined) => T | undefined,
): Shape<T> {
  return shape({}, (value, path) => {
    const read = decode(value)
    return read === undefined ? bad(path, `must be ${what}`) : good(read)
  })
}

type ShapeReader<T> = (value: JsonValue | undefined, path: string) => Read<T>
type ShapeCheck<T> = { readonly holds: (value: T) => boolean; readonly complaint: string }

function shape<T>(json: JsonObject, read: ShapeReader<T>): Shape<T> {
  return {
    json,
    read,
    presence: "required",
    describe: (description) => shape({ ...json, description }, read),
    optional: () => optionalShape(json, read),
    default: (value) =>
      shape({ ...json, default: value }, (input, path) => (input === undefined ? good(value) : read(input, path))),
  }
}

function optionalShape<T>(json: JsonObject, read: ShapeReader<T>): OptionalShape<T> {
  return {
    json,
    presence: "optional",
    read: (value, path) => (value === undefined ? good(undefined) : read(value, path)),
    describe: (description) => optionalShape({ ...json, description }, read),
  }
}

function textShape(json: JsonObject, checks: readonly ShapeCheck<string>[], trims: boolean): TextShape {
  const read: ShapeReader<string> = (value, path) => {
    if (typeof value !== "string") return wrongKind(path, "a string", value)
    return checked(trims ? value.trim() : value, checks, path)
  }
  const more = (extra: JsonObject, check?: ShapeCheck<string>): TextShape =>
    textShape({ ...json, ...extra }, check ? [...checks, check] : checks, trims)
  return {
    ...shape(json, read),
    describe: (description) => more({ description }),
    trim: () => textShape(json, checks, true),
    min: (length, complaint = length === 1 ? "must not be empty" : `must have at least ${length} characters`) =>
      more(lowerBoundKeyword("minLength", length), { holds: (text) => text.length >= length, complaint }),
    max: (length, complaint = `must have at most ${length} characters`) =>
      more({ maxLength: length }, { holds: (text) => text.length <= length, complaint }),
  }
}

/** Every request repeats the schema. That a text must not be empty or a count not negative is checked, but models need not be told. */
const lowerBoundKeyword = (name: string, least: number): JsonObject => (least > 1 ? { [name]: least } : {})

function numberShape(json: JsonObject, checks: readonly ShapeCheck<number>[] = []): NumberShape {
  const whole = json.type === "integer"
  const read: ShapeReader<number> = (value, path) => {
    const numeric = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    if (typeof numeric !== "number" || !Number.isFinite(numeric) || (whole && !Number.isSafeInteger(numeric)))
      return wrongKind(path, whole ? "a whole number" : "a number", value)
    return checked(numeric, checks, path)
  }
  return {
    ...shape(json, read),
    min: (least) =>
      numberShape({ ...json, ...lowerBoundKeyword("minimum", least) }, [
        ...checks,
        { holds: (n) => n >= least, complaint: `must be at least ${least}` },
      ]),
    max: (most) =>
      numberShape({ ...json, maximum: most }, [
        ...checks,
        { holds: (n) => n <= most, complaint: `must be at most ${most}` },
      ]),
  }
}

function listShape<T>(json: JsonObject, element: Readable<T>, checks: readonly ShapeCheck<T[]>[]): ListShape<T> {
  const read: ShapeReader<T[]> = (value, path) => {
    if (!Array.isArray(value)) return wrongKind(path, "a list", value)
    const reads = value.map((one: JsonValue, index) => element.read(one, `${path}.${index}`))
    const complaints = reads.flatMap((one) => (one.ok ? [] : one.complaints))
    if (complaints.length > 0) return { ok: false, complaints }
    return checked(
      reads.flatMap((one) => (one.ok ? [one.value] : [])),
      checks,
      path,
    )
  }
  const more = (extra: JsonObject, check: ShapeCheck<T[]>): ListShape<T> =>
    listShape({ ...json, ...extra }, element, [...checks, check])
  return {
    ...shape(json, read),
    min: (length, complaint = `needs at least ${length}`) =>
      more({ minItems: length }, { holds: (list) => list.length >= length, complaint }),
    max: (length, complaint = `takes at most ${length}`) =>
      more({ maxItems: length }, { holds: (list) => list.length <= length, complaint }),
  }
}

function checked<T>(value: T, checks: readonly ShapeCheck<T>[], path: string): Read<T> {
  const broken = checks.find(({ holds }) => !holds(value))
  return broken ? bad(path, broken.complaint) : good(value)
}

const good = <T>(value: T): Read<T> => ({ ok: true, value })

const bad = (path: string, complaint: string): Read<never> => ({
  ok: false,
  complaints: [`${path === "" ? "The input" : `Field \`${path}\``} ${complaint}.`],
})

function wrongKind(path: string, wanted: string, value: JsonValue | undefined): Read<never> {
  return value === undefined ? bad(path, "is missing") : bad(path, `must be ${wanted}, not ${kindOf(value)}`)
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return (
    { string: "a string", number: "a number", boolean: "true or false", object: "an object" }[typeof value as string] ??
    typeof value
  )
}

function unknownField(name: string, known: readonly string[]): string {
  const near = nearNames(name, known, 1)[0]
  return `Unknown field \`${name}\`; ${near ? `did you mean \`${near}\`?` : `the fields are ${known.join(", ")}.`}`
}
