/**
 * Arithmetic with numbers and variables that contain one; anything else could contain a subscript, and a command in it.
 */

import { isOwnName } from "./names.ts"
import { holdsNumber, type State } from "./state.ts"

const assignment = /^\s*([A-Za-z_]\w*)\s*([-+*/%])?=(?!=)(.*)$/s
const step = /^\s*(?:([A-Za-z_]\w*)\s*(?:\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*))\s*$/

/** The variable that an expression sets, if any; undefined when it is not plain. */
export function assignedNames(expression: string, state: State): readonly string[] | undefined {
  const [, name, operator, value] = assignment.exec(expression) ?? []
  if (name !== undefined && value !== undefined) {
    const isKnown = operator === undefined || holds(name, state)
    return isOwnName(name) && isKnown && isPlainArithmetic(value, state) ? [name] : undefined
  }
  const [, before, after] = step.exec(expression) ?? []
  const stepped = before ?? after
  if (stepped !== undefined) return isOwnName(stepped) && holds(stepped, state) ? [stepped] : undefined
  return isPlainArithmetic(expression, state) ? [] : undefined
}

/** Whether an expression only calculates, and sets nothing. */
export function isPlainArithmetic(expression: string, state: State): boolean {
  const bare = expression
    .replace(/\$\{([A-Za-z_]\w*)\}/g, " $1 ")
    .replace(/\$([A-Za-z_]\w*)/g, " $1 ")
    .replace(/\b0[xX][0-9a-fA-F]+\b/g, "1")
  if (!/^[\w\s+*/%()<>=!?:&|^~-]*$/.test(bare) || /\+\+|--/.test(bare)) return false
  if (bare.replace(/(?<![<>])[<>]=|[=!]=/g, " ").includes("=")) return false
  return (bare.match(/[A-Za-z_]\w*/g) ?? []).every((name) => holds(name, state))
}

function holds(name: string, { variables }: State): boolean {
  const value = variables.get(name)
  return value !== undefined && holdsNumber(value)
}

/** Whether the result may be negative, and so look like a flag. */
export const mayBeNegative = (expression: string): boolean => /[-~]/.test(expression)
