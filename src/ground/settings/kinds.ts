/**
 * The kinds of values in a settings file: each says what is wrong with a value, and how JSON Schema describes it. A
 * library for this would take a tenth of our start.
 */

import { isObject, type JsonObject } from "#lib/json.ts"

export type Path = readonly (string | number)[]

/** What is wrong with a value, before it is put into words: where, and what was expected. */
export type Complaint =
  | { readonly kind: "unknown_key"; readonly path: Path; readonly known: readonly string[] }
  | { readonly kind: "wrong"; readonly path: Path; readonly wanted: string }

export interface SettingKind<T> {
  /** Made when the reference asks: no start needs it. */
  readonly json: JsonObject
  readonly check: (value: unknown, path: Path) => readonly Complaint[]
  /** Only for the compiler: the type of what is accepted. */
  readonly accepts?: T
}

const right: readonly Complaint[] = []
const wrong = (path: Path, wanted: string): readonly Complaint[] => [{ kind: "wrong", path, wanted }]

function plain<T>(json: JsonObject, wanted: string, isOne: (value: unknown) => boolean): SettingKind<T> {
  return { json, check: (value, path) => (isOne(value) ? right : wrong(path, wanted)) }
}

export const text: SettingKind<string> = plain({ type: "string" }, "a string", (value) => typeof value === "string")
export const flag: SettingKind<boolean> = plain(
  { type: "boolean" },
  "true or false",
  (value) => typeof value === "boolean",
)
export const anything: SettingKind<unknown> = plain({}, "", () => true)
/** An object that another room reads itself. */
export const foreign: SettingKind<JsonObject> = plain({ type: "object" }, "an object", isObject)

export interface NumberRange {
  readonly least?: number
  /** More than this. */
  readonly above?: number
  readonly most?: number
  readonly whole?: boolean
}

export function number({ least, above, most, whole = false }: NumberRange = {}): SettingKind<number> {
  return {
    json: {
      type: whole ? "integer" : "number",
      ...(above !== undefined && { exclusiveMinimum: above }),
      ...(least !== undefined && { minimum: least }),
      ...(most !== undefined && { maximum: most }),
    },
    check(value, path) {
      if (typeof value !== "number") return wrong(path, "a number")
      if (whole && !Number.isSafeInteger(value)) return wrong(path, "a whole number")
      if (least !== undefined && value < least) return wrong(path, `at least ${least}`)
      if (above !== undefined && value <= above) return wrong(path, `more than ${above}`)
      return most !== undefined && value > most ? wrong(path, `at most ${most}`) : right
    },
  }
}

export function choice<const T extends string>(...values: readonly T[]): SettingKind<T> {
  const named = values.map((value) => JSON.stringify(value)).join(", ")
  const isOne = (value: unknown): boolean => values.some((known) => known === value)
  return plain({ type: "string", enum: [...values] }, values.length > 1 ? `one of ${named}` : named, isOne)
}

export function either<A, B>(one: SettingKind<A>, other: SettingKind<B>): SettingKind<A | B> {
  return {
    get json() {
      return { anyOf: [one.json, other.json] }
    },
    check(value, path) {
      const [first, second] = [one.check(value, path), other.check(value, path)]
      if (first.length === 0 || second.length === 0) return right
      const wanted = [...first, ...second].flatMap((each) => (each.kind === "wrong" ? [each.wanted] : []))
      return wrong(path, [...new Set(wanted)].join(" or "))
    },
  }
}

export function list<T>(item: SettingKind<T>): SettingKind<readonly T[]> {
  return {
    get json() {
      return { type: "array", items: item.json }
    },
    check: (value, path) =>
      Array.isArray(value) ? value.flatMap((each, i) => item.check(each, [...path, i])) : wrong(path, "a list"),
  }
}

export const texts: SettingKind<readonly string[]> = list(text)

/** An object with any keys. */
export function byName<T>(each: SettingKind<T>): SettingKind<{ readonly [name: string]: T }> {
  return {
    get json() {
      return { type: "object", additionalProperties: each.json }
    },
    check: (value, path) =>
      isObject(value)
        ? Object.entries(value).flatMap(([name, inner]) => each.check(inner, [...path, name]))
        : wrong(path, "an object"),
  }
}

/** An object with these texts, and anything else. */
export function withTexts<const Name extends string>(
  ...names: readonly Name[]
): SettingKind<JsonObject & { readonly [N in Name]: string }> {
  return {
    json: { type: "object", properties: Object.fromEntries(names.map((name) => [name, text.json])), required: names },
    check: (value, path) =>
      isObject(value) ? names.flatMap((name) => text.check(value[name], [...path, name])) : wrong(path, "an object"),
  }
}

/** An object with these keys and no others; all may be left out but those that are required. */
export function object<T extends object>(
  fields: { readonly [Name in keyof T]-?: SettingKind<Exclude<T[Name], undefined>> },
  required: readonly (keyof T & string)[] = [],
): SettingKind<T> {
  const kinds: ReadonlyMap<string, SettingKind<unknown>> = new Map(Object.entries<SettingKind<unknown>>(fields))
  const known = [...kinds.keys()]
  const needed: readonly string[] = required
  return {
    get json() {
      return {
        type: "object",
        properties: Object.fromEntries(kinds.entries().map(([name, { json }]) => [name, json])),
        ...(needed.length > 0 && { required: needed }),
        additionalProperties: false,
      }
    },
    check(value, path) {
      if (!isObject(value)) return wrong(path, "an object")
      const presentKeys = Object.keys(value)
      const missing = needed.filter((name) => !Object.hasOwn(value, name))
      const complaints = [...presentKeys, ...missing].flatMap(
        (name) => kinds.get(name)?.check(value[name], [...path, name]) ?? right,
      )
      const unknown = presentKeys.filter((name) => !kinds.has(name))
      return [
        ...complaints,
        ...unknown.map((name): Complaint => ({ kind: "unknown_key", path: [...path, name], known })),
      ]
    },
  }
}
