/** The condition in `test` and `[`: a small grammar of its own, in which only listed words are allowed. */

import { type Argument, mayBeFlag } from "./argument.ts"
import { type Finding, reading, refused } from "./programs/program.ts"

/** No -v and no -R: the subscript of a variable's name is evaluated and may run a command. */
export const unary: ReadonlySet<string> = new Set([
  "-b",
  "-c",
  "-d",
  "-e",
  "-f",
  "-g",
  "-h",
  "-k",
  "-L",
  "-n",
  "-O",
  "-G",
  "-p",
  "-r",
  "-s",
  "-S",
  "-t",
  "-u",
  "-w",
  "-x",
  "-z",
])

const binary: ReadonlySet<string> = new Set([
  "=",
  "==",
  "!=",
  "<",
  ">",
  "-eq",
  "-ne",
  "-lt",
  "-le",
  "-gt",
  "-ge",
  "-nt",
  "-ot",
  "-ef",
])

/**
 * Reads no file, only checks whether one exists, and so names no path. Undefined means that the closing bracket is
 * missing.
 */
export function judgeTest(args: readonly Argument[] | undefined): Finding {
  if (!args) return refused("its condition does not end")
  if (args.some(({ many, kind }) => many || kind === "unknown")) return refused("its condition may become another")
  const rest = isExactly(args[0], "!") ? args.slice(1) : args
  const [first, second, third] = rest
  const isCondition =
    rest.length === 0 ||
    rest.length === 1 ||
    (rest.length === 2 && first?.kind === "exact" && unary.has(first.text)) ||
    (rest.length === 3 &&
      second?.kind === "exact" &&
      binary.has(second.text) &&
      !isExactly(first, "(", "!") &&
      third !== undefined)
  return isCondition || isJoined(args) ? reading() : refused("its condition is not on the list")
}

function isJoined(args: readonly Argument[]): boolean {
  if (!args.every(({ kind }) => kind === "exact")) return false
  const conditions: Argument[][] = [[]]
  for (const arg of args) {
    if (isExactly(arg, "-a", "-o")) conditions.push([])
    else conditions.at(-1)?.push(arg)
  }
  return conditions.every(([first, second, ...more]) => {
    if (first === undefined || second === undefined) return false
    return more.length === 0 ? unary.has(first.text) : more.length === 1 && binary.has(second.text)
  })
}

/** Whether a builtin would evaluate the subscript in one of its words, and with it any command inside. */
export function evaluatesSubscript(args: readonly Argument[]): boolean {
  const [program, ...rest] = args
  switch (program?.text) {
    case "[":
    case "test":
      return rest.some(({ text }) => text === "-v" || text === "-R" || text.includes("["))
    case "printf": {
      const [format] = rest
      if (!format || (format.kind === "exact" && /^(?:--$|[^-])/.test(format.text))) return false
      // What an expansion becomes may be the flag that writes a variable.
      return (format.kind !== "exact" && mayBeFlag(format)) || rest.some(({ text }) => /^-[^-]*v/.test(text))
    }
    case "wait":
      return rest.some(({ text }) => text.startsWith("-"))
    default:
      return false
  }
}

const isExactly = (arg: Argument | undefined, ...texts: readonly string[]): boolean =>
  arg?.kind === "exact" && texts.includes(arg.text)
