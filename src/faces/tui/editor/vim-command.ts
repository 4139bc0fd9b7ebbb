/** Letters of the vim keys, read as commands: whole, not yet whole, or none. */

export type Operator = "d" | "c" | "y"

export interface Motion {
  readonly kind: "motion"
  /** One of `h j k l w b e W B E 0 ^ $ gg G f F t T ; , { } %`. */
  readonly name: string
  readonly letter: string
}

export interface TextObject {
  readonly kind: "object"
  readonly side: "inner" | "around"
  readonly name: string
}

export type Target = Motion | TextObject | { readonly kind: "lines" }

export type Command =
  | { readonly kind: "move"; readonly motion: Motion; readonly count: number | undefined }
  | {
      readonly kind: "operate"
      readonly operator: Operator
      readonly target: Target
      readonly count: number | undefined
    }
  /** Commands of a single letter; `argument` is the character for `r`. */
  | { readonly kind: "do"; readonly name: string; readonly argument: string; readonly count: number | undefined }

export type Parsed =
  { readonly kind: "whole"; readonly command: Command } | { readonly kind: "more" } | { readonly kind: "unknown" }

const more: Parsed = { kind: "more" }
const unknown: Parsed = { kind: "unknown" }
const whole = (command: Command): Parsed => ({ kind: "whole", command })

/** More is a slip of the finger. */
const mostCount = 999

export function parseCommand(letters: string): Parsed {
  const { count, rest } = counted(letters)
  const [head = "", ...tail] = rest
  if (head === "") return more
  if (isOperator(head)) return parseOperation(head, tail.join(""), count)
  if (head === "r") return tail.length === 0 ? more : whole({ kind: "do", name: "r", argument: tail.join(""), count })
  if ("xXpPu.oOAIai~JDCYsSvV".includes(head)) return parseShort(head, count)
  const motion = parseMotion(rest)
  return motion.kind === "motion" ? whole({ kind: "move", motion, count }) : motion
}

function parseOperation(operator: Operator, letters: string, before: number | undefined): Parsed {
  const { count: after, rest } = counted(letters)
  const count = before === undefined && after === undefined ? undefined : bounded((before ?? 1) * (after ?? 1))
  const of = (target: Target): Parsed => whole({ kind: "operate", operator, target, count })
  if (rest === "") return more
  if (rest === operator) return of({ kind: "lines" })
  if (rest[0] === "i" || rest[0] === "a") {
    const name = rest.slice(1)
    if (name === "") return more
    if (!isObjectName(name)) return unknown
    return of({ kind: "object", side: rest[0] === "i" ? "inner" : "around", name })
  }
  const motion = parseMotion(rest)
  return motion.kind === "motion" ? of(motion) : motion
}

function parseShort(name: string, count: number | undefined): Parsed {
  const operation = shorts[name]
  if (operation === undefined) return whole({ kind: "do", name, argument: "", count })
  return parseOperation(operation[0], operation[1], count)
}

const shorts: { readonly [letter: string]: readonly [Operator, string] } = {
  x: ["d", "l"],
  X: ["d", "h"],
  D: ["d", "$"],
  C: ["c", "$"],
  Y: ["y", "y"],
  s: ["c", "l"],
  S: ["c", "c"],
}

export function parseMotion(letters: string): Motion | { readonly kind: "more" } | { readonly kind: "unknown" } {
  const [head = "", ...tail] = letters
  const of = (name: string, letter = ""): Motion => ({ kind: "motion", name, letter })
  if (head === "g") return tail.length === 0 ? { kind: "more" } : tail[0] === "g" ? of("gg") : { kind: "unknown" }
  if ("fFtT".includes(head)) return tail.length === 0 ? { kind: "more" } : of(head, tail.join(""))
  return "hjklwbeWBE0^$G;,{}%".includes(head) && tail.length === 0 ? of(head) : { kind: "unknown" }
}

/** A zero alone is a motion. */
export function counted(letters: string): { readonly count: number | undefined; readonly rest: string } {
  const digits = /^[1-9]\d*/.exec(letters)?.[0]
  if (digits === undefined) return { count: undefined, rest: letters }
  return { count: bounded(Number(digits)), rest: letters.slice(digits.length) }
}

const bounded = (count: number): number => Math.min(mostCount, count)

const isOperator = (letter: string): letter is Operator => letter === "d" || letter === "c" || letter === "y"

export const isObjectName = (name: string): boolean => name.length === 1 && "wW\"'`()b[]{}B<>".includes(name)
