/** Whether words do something that cannot be undone. */

import { optional } from "#lib/optional.ts"
import { lazily } from "#lib/lazily.ts"
import type { Destruction } from "./analysis.ts"
import type { DestructiveAction } from "./tables/destructive-action.ts"
import { destructiveActions } from "./tables/destructive.ts"

/** Undefined when the table has no matching entry. */
export function destruction(argv: readonly string[]): Destruction | undefined {
  const [name = "", ...rest] = argv
  const program = name.slice(name.lastIndexOf("/") + 1)
  const words = program === "git" ? afterGlobals(rest) : rest
  const action = actionsOf(program).find((each) => speaksAbout(each, words))
  return action && { what: action.what, risk: action.risk, ...optional("loses", action.loses) }
}

const byProgram = lazily((): ReadonlyMap<string, readonly DestructiveAction[]> => {
  const found = new Map<string, DestructiveAction[]>()
  for (const action of destructiveActions)
    for (const name of action.program.split(" ")) if (!found.get(name)?.push(action)) found.set(name, [action])
  return found
})

function actionsOf(program: string): readonly DestructiveAction[] {
  const dot = program.indexOf(".")
  return byProgram().get(program) ?? (dot < 0 ? undefined : byProgram().get(`${program.slice(0, dot)}.*`)) ?? []
}

function speaksAbout(
  { words = [], flags, operand, operands = 0, unless, without = [] }: DestructiveAction,
  rest: readonly string[],
): boolean {
  if (!words.every((word, i) => rest[i] === word)) return false
  const further = rest.slice(words.length)
  if (unless && further.some((word) => unless.test(word))) return false
  if (further.filter((word) => word === "-" || !word.startsWith("-")).length < operands) return false
  if (without.some((flag) => further.includes(flag))) return false
  const hasFlag = flags?.some((flag) => further.some((word) => isFlag(word, flag))) ?? true
  return hasFlag && (operand === undefined || further.some((word) => operand.test(word)))
}

/** `--har` means `--hard`, `-rf` includes `-r`, `--force-with-lease=x` is the flag with a value. */
function isFlag(word: string, flag: string): boolean {
  const [name = ""] = word.split("=")
  if (name === flag) return true
  if (flag === "--" || !word.startsWith("-")) return false
  if (flag.startsWith("--")) return name.startsWith("--") && name.length > 3 && flag.startsWith(name)
  return /^-[A-Za-z]$/.test(flag) && /^-[A-Za-z]/.test(word) && !word.startsWith("--") && word.includes(flag.slice(1))
}

/** git takes options before its subcommand, some with a value. */
function afterGlobals(rest: readonly string[]): readonly string[] {
  let at = 0
  while (rest[at]?.startsWith("-"))
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--attr-source|--exec-path)$/.test(
      rest[at] ?? "",
    )
      ? 2
      : 1
  return rest.slice(at)
}
