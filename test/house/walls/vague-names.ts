/**
 * The wall against verbs that fit every act: a reader can neither guess nor search what `take` takes. Names that data has
 * are left alone, since files and other programs know them.
 */

import { parseSync } from "oxc-parser"
import { isObject, type JsonObject } from "#lib/json.ts"
import { lineAt, type Source } from "./source.ts"

const vague: ReadonlySet<string> = new Set(["take", "look", "tell", "hold", "give", "held", "told", "given"])

/** Functions, methods, variables and parameters with such a name, where it is chosen and not only passed on. */
export function vagueNames(tree: readonly Source[]): readonly string[] {
  return tree.flatMap(({ path, text }) => {
    // Most files have none, and parsing costs more than looking for the words.
    if (![...vague].some((word) => new RegExp(`\\b${word}\\b`).test(text))) return []
    const found: string[] = []
    const visit = (node: JsonObject): void => {
      for (const { name, start } of declaredBy(node).filter((one) => vague.has(one.name)))
        found.push(`${path}:${lineAt(text, start)} ${name}: say what it does or is`)
      for (const value of Object.values(node))
        for (const child of Array.isArray(value) ? value : [value])
          if (isObject(child) && typeof child["type"] === "string") visit(child)
    }
    visit(parseSync(path, text).program as unknown as JsonObject)
    return found
  })
}

interface Declared {
  readonly name: string
  readonly start: number
}

const functions: ReadonlySet<unknown> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "TSFunctionType",
])

function declaredBy(node: JsonObject): readonly Declared[] {
  const { type, id, key, value, params, typeAnnotation } = node
  if (type === "VariableDeclarator") return bound(id)
  if (functions.has(type)) return [...named(id), ...list(params).flatMap(bound)]
  if (type === "TSMethodSignature" || type === "MethodDefinition") return named(key)
  if (type === "Property") return isObject(value) && functions.has(value["type"]) ? named(key) : []
  if (type === "TSPropertySignature") return isFunctionType(typeAnnotation) ? named(key) : []
  return type === "CatchClause" ? bound(node["param"]) : []
}

/** The names that a pattern chooses; `{ given }` passes one on. */
function bound(pattern: unknown): readonly Declared[] {
  if (!isObject(pattern)) return []
  const { type, left, argument, elements, properties, shorthand, value, parameter } = pattern
  if (type === "Identifier") return named(pattern)
  if (type === "ObjectPattern") return list(properties).flatMap(bound)
  if (type === "ArrayPattern") return list(elements).flatMap(bound)
  if (type === "Property") return shorthand === true ? [] : bound(value)
  return [left, argument, parameter].flatMap(bound)
}

const named = (node: unknown): readonly Declared[] =>
  isObject(node) && node["type"] === "Identifier" ? [{ name: String(node["name"]), start: Number(node["start"]) }] : []

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const isFunctionType = (annotation: unknown): boolean =>
  isObject(annotation) && isObject(annotation["typeAnnotation"])
    ? annotation["typeAnnotation"]["type"] === "TSFunctionType"
    : false
