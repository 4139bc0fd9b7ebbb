/** `read` in the forms that only fill the script's own variables. */

import type { Command } from "unbash"
import type { Argument } from "./argument.ts"
import { isOwnName } from "./names.ts"
import { wordsFrom } from "./listing.ts"
import { type Sorted, sortOut } from "./sort-out.ts"
import { type State, withVariable } from "./state.ts"

/** The state afterwards, in which the variables' values are unknown; undefined when a word is not on the list. */
export function afterRead(
  args: readonly Argument[],
  state: State,
  { redirects, prefix }: Pick<Command, "redirects" | "prefix">,
): State | undefined {
  // No -a and no -u; a name may contain a subscript, which would be evaluated, so only plain names are accepted.
  const sorted = sortOut(args, { flags: "-r -s -d:text -n:number -N:number -t:number -p:text" })
  if (typeof sorted === "string" || sorted.operands.length === 0) return undefined
  if (!sorted.values.every(({ value }) => value.kind === "exact")) return undefined
  if (!sorted.operands.every(({ kind, text }) => kind === "exact" && isOwnName(text))) return undefined
  // With its own redirection it reads something else.
  const fed = redirects.length === 0 ? state.fed : undefined
  const isWhole =
    sorted.flags.has("-r") && prefix.some((part) => part.type === "Assignment" && emptyIfs.test(part.text))
  const known = wordsFrom(fed, isNul(sorted) && isWhole ? "nul" : "spaces")
  // With one name the whole line is in it, and so a whole path.
  const kept = sorted.operands.length === 1 ? known : known.token ? { token: known.token } : {}
  return sorted.operands.reduce(
    (now, { text }) =>
      withVariable(now, text, {
        text: `$${text}`,
        kind: "dynamic",
        head: "",
        many: false,
        ...(isNul(sorted) && !isWhole ? {} : kept),
      }),
    state,
  )
}

/** `IFS=`, without which spaces around a name are stripped. */
const emptyIfs = /^IFS=(?:''|"")?$/

/** Whether names are separated by NULs. */
const isNul = ({ values }: Sorted): boolean => values.some(({ flag, value }) => flag === "-d" && value.text === "")
