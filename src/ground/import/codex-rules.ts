/** The command rules of Codex: calls of `prefix_rule` in a small part of Python, read without running anything. */

import { join } from "node:path"
import type { Behavior } from "#agent/words/permission.ts"
import type { FoundRule, Skipped } from "./found.ts"
import { filesBelow, readText } from "./read.ts"

interface Rules {
  readonly rules: readonly FoundRule[]
  readonly skipped: readonly Skipped[]
}

const decisions: { readonly [name: string]: Behavior } = { allow: "allow", prompt: "ask", forbidden: "deny" }

/** Alternatives multiply. */
const mostPrefixes = 50

export function codexRules(folder: string): Rules {
  const rules: FoundRule[] = []
  const skipped: Skipped[] = []
  for (const path of filesBelow(folder, ".rules")) {
    const from = join(folder, path)
    const text = readText(from)
    if (!text.ok) {
      skipped.push({ what: from, why: text.failure })
      continue
    }
    for (const call of callsIn(text.value ?? "")) {
      const read = ruleIn(call)
      if (read) rules.push(...read)
      else
        skipped.push({ what: `a rule in ${from}`, why: "it is not understood. Add it with codewright permissions add" })
    }
  }
  return { rules, skipped }
}

type Value = string | readonly Value[]
type RuleToken = { readonly text: string; readonly kind: "string" | "name" | "mark" }

/** The arguments of each call, as tokens. */
function callsIn(text: string): readonly (readonly RuleToken[])[] {
  const tokens = tokensIn(text)
  const calls: RuleToken[][] = []
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]?.text !== "prefix_rule" || tokens[i + 1]?.text !== "(") continue
    let depth = 1
    const inner: RuleToken[] = []
    for (i += 2; i < tokens.length && depth > 0; i++) {
      const token = tokens[i]
      if (!token) break
      if (token.kind === "mark" && "([".includes(token.text)) depth++
      if (token.kind === "mark" && ")]".includes(token.text)) depth--
      if (depth > 0) inner.push(token)
    }
    i--
    calls.push(inner)
  }
  return calls
}

function tokensIn(text: string): readonly RuleToken[] {
  const shape = /#[^\n]*|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|([A-Za-z_]\w*)|([^\s])/g
  return [...text.matchAll(shape)].flatMap(([whole, double, single, name, mark]): readonly RuleToken[] => {
    if (whole.startsWith("#")) return []
    const string = double ?? single
    if (string !== undefined) return [{ kind: "string", text: string.replace(/\\(.)/g, "$1") }]
    return name === undefined ? [{ kind: "mark", text: mark ?? "" }] : [{ kind: "name", text: name }]
  })
}

function ruleIn(tokens: readonly RuleToken[]): readonly FoundRule[] | undefined {
  const args = new Map<string, Value>()
  for (let i = 0; i < tokens.length;) {
    const name = tokens[i]
    if (name?.kind !== "name" || tokens[i + 1]?.text !== "=") return undefined
    const value = valueAt(tokens, i + 2)
    if (!value) return undefined
    args.set(name.text, value.value)
    i = value.next
    if (tokens[i]?.text === ",") i++
  }
  const behavior = decisions[String(args.get("decision") ?? "allow")]
  const pattern = args.get("pattern")
  if (behavior === undefined || pattern === undefined || typeof pattern === "string") return undefined
  const prefixes = expanded(pattern)
  if (!prefixes || prefixes.length === 0) return undefined
  return prefixes.map((prefix) => ({ behavior, rule: `Bash(${prefix}:*)`, was: `prefix_rule ${prefix}` }))
}

function valueAt(
  tokens: readonly RuleToken[],
  at: number,
): { readonly value: Value; readonly next: number } | undefined {
  const first = tokens[at]
  if (first?.kind === "string") return { value: first.text, next: at + 1 }
  if (first?.kind !== "mark" || first.text !== "[") return undefined
  const values: Value[] = []
  for (let i = at + 1; i < tokens.length;) {
    if (tokens[i]?.kind === "mark" && tokens[i]?.text === "]") return { value: values, next: i + 1 }
    const inner = valueAt(tokens, i)
    if (!inner) return undefined
    values.push(inner.value)
    i = tokens[inner.next]?.text === "," ? inner.next + 1 : inner.next
  }
  return undefined
}

/** Undefined where a word could not be written in a rule without changing what it means. */
function expanded(pattern: readonly Value[]): readonly string[] | undefined {
  let prefixes: readonly string[] = [""]
  for (const word of pattern) {
    const words = typeof word === "string" ? [word] : word
    if (words.some((one) => typeof one !== "string" || !/^[\w@%+=:,./-]+$/.test(one))) return undefined
    prefixes = prefixes.flatMap((prefix) =>
      words.map((one) => (prefix === "" ? String(one) : `${prefix} ${String(one)}`)),
    )
    if (prefixes.length > mostPrefixes) return undefined
  }
  return prefixes.filter((prefix) => prefix !== "")
}
