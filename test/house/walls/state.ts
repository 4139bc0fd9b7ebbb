/** The wall against module-level mutable state. */

import { depths } from "./mask.ts"
import { breach, type Source } from "./source.ts"

const variable = /^(?:export\s+)?(?:let|var)\s+(\w+)/gm
const collection =
  /^(?:export\s+)?const\s+(\w+)\s*(?::[^=]+)?=\s*(?:new\s+(?:Map|Set|WeakMap|WeakSet|Array|Object|\w*Array)\b|\[|\{|Object\.)/gm
const holder = /^\s*(?:(?:public|private|protected)\s+)?static\s+(?!readonly\b|async\b)[#\w]+\s*[:=]/gm
const global = /(?<![.\w$])globalThis\s*(?:\.\s*\w+|\[[^\]]*\])\s*(?:\?\?|\|\||&&)?=(?!=)/g

const mutators =
  "set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set[A-Z]\\w*|getOrInsert\\w*"

/** Top-level `let`, top-level collections that the file changes, mutable statics, and writes to the global object. */
export function stateBreaches(tree: readonly Source[]): readonly string[] {
  return tree.flatMap((source) => {
    const { code } = source
    const depth = depths(code)
    const top = (pattern: RegExp): RegExpExecArray[] =>
      [...code.matchAll(pattern)].filter((match) => depth[match.index] === 0)
    return [
      ...top(variable).map((match) => breach(source, match.index, `${match[1]} can change and outlives every session`)),
      ...top(collection).flatMap((match) => {
        const change = changeOf(code, match[1] ?? "")
        return change === undefined ? [] : [breach(source, change, `${match[1]} is module-level and changed here`)]
      }),
      ...[...code.matchAll(holder)].map((match) => breach(source, match.index, "a static field that can change")),
      ...[...code.matchAll(global)].map((match) => breach(source, match.index, "writes to the global object")),
    ]
  })
}

/** Where a name is changed: by a method that changes, by assignment to a member, or by `delete`. */
function changeOf(code: string, name: string): number | undefined {
  const own = String.raw`(?<![.\w$])${name}`
  const member = String.raw`${own}(?:\s*\.\s*\w+|\s*\[[^\]]*\])+`
  const changes = new RegExp(
    [
      String.raw`${own}\s*\??\.\s*(?:${mutators})\s*\(`,
      String.raw`${member}\s*(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=(?![=>])`,
      String.raw`${member}\s*(?:\+\+|--)`,
      String.raw`(?:\+\+|--|\bdelete\s+)${member}`,
      String.raw`\bObject\s*\.\s*(?:assign|defineProperty|defineProperties|setPrototypeOf)\s*\(\s*${name}\b`,
    ].join("|"),
  )
  return changes.exec(code)?.index
}
