/** How much there is to read in each function: statements and nesting, which stay the same however lines are packed. */

import { parseSync } from "oxc-parser"
import { isObject, type JsonObject } from "#lib/json.ts"
import { lineAt, type Source } from "./source.ts"

export interface FunctionSize {
  readonly path: string
  readonly line: number
  readonly name: string
  /**
   * Everything that happens: statements, functions that are one expression, each further name of a declaration, each
   * `?:` and each step of a sequence. What functions inside it do counts as well.
   */
  readonly statements: number
  /** How many branches, loops and functions are inside each other at the deepest place. */
  readonly nesting: number
}

/**
 * From the distribution of this source: one function in a thousand had more, and those were the ones that nobody read at
 * once. Lines can be packed to fit a limit; these cannot.
 */
const most = { statements: 90, nesting: 5 }

/** Functions with too much in them to be read at once. */
export function sizeBreaches(tree: readonly Source[]): readonly string[] {
  return tree
    .flatMap(functionsOf)
    .filter(({ statements, nesting }) => statements > most.statements || nesting > most.nesting)
    .map(
      ({ path, line, name, statements, nesting }) =>
        `${path}:${line} ${name === "" ? "a function" : name} has ${statements} statements, ${nesting} deep (at most ${most.statements}, ${most.nesting} deep): give a part of it a name of its own`,
    )
}

/** Every function of a file, each before those inside it. */
export function functionsOf({ path, text }: Source): readonly FunctionSize[] {
  const found: FunctionSize[] = []
  const visit = (node: JsonObject, name: string, isElse: boolean): Size => {
    const isFunction = functions.has(String(node["type"]))
    const at = isFunction ? found.push({ path, line: 0, name: "", statements: 0, nesting: 0 }) - 1 : -1
    const called = isFunction ? "" : (nameOf(node) ?? name)
    const inside = childrenOf(node).map(([key, child]) => visit(child, called, key === "alternate"))
    const statements = inside.reduce((sum, size) => sum + size.statements, 0) + weightOf(node)
    const nesting = Math.max(0, ...inside.map((size) => size.nesting))
    if (isFunction)
      found[at] = { path, line: lineAt(text, Number(node["start"])), name: nameOf(node) ?? name, statements, nesting }
    // A chain of `else if` is as deep as its first.
    const deepens = isFunction || (nests.has(String(node["type"])) && !(isElse && node["type"] === "IfStatement"))
    return { statements, nesting: nesting + (deepens ? 1 : 0) }
  }
  visit(parseSync(path, text).program as unknown as JsonObject, "", false)
  return found
}

interface Size {
  readonly statements: number
  readonly nesting: number
}

const functions: ReadonlySet<string> = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

const nests: ReadonlySet<string> = new Set([
  "IfStatement",
  "ConditionalExpression",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
])

/** A block, a declaration of types and a file do nothing by themselves. */
function weightOf(node: JsonObject): number {
  const type = String(node["type"])
  if (type === "VariableDeclaration") return lengthOf(node["declarations"])
  if (type === "SequenceExpression") return lengthOf(node["expressions"]) - 1
  if (type === "ArrowFunctionExpression") return node["expression"] === true ? 1 : 0
  if (type === "ConditionalExpression") return 1
  return type.endsWith("Statement") && type !== "BlockStatement" && type !== "EmptyStatement" ? 1 : 0
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

/** What a declaration, a property or a named function is called. */
function nameOf({ id, key }: JsonObject): string | undefined {
  const named = isObject(id) ? id : key
  return isObject(named) && typeof named["name"] === "string" ? named["name"] : undefined
}

/** What is written inside, without types: nothing happens there. */
function childrenOf(node: JsonObject): readonly (readonly [key: string, child: JsonObject])[] {
  const found: (readonly [string, JsonObject])[] = []
  for (const key of Object.keys(node)) {
    const value = node[key]
    if (typeof value !== "object" || value === null || types.has(key)) continue
    for (const child of Array.isArray(value) ? value : [value])
      if (isObject(child) && typeof child["type"] === "string") found.push([key, child])
  }
  return found
}

const types: ReadonlySet<string> = new Set(["typeAnnotation", "returnType", "typeParameters", "typeArguments"])
