/** Builtins that change the shell itself: its folder, and how it continues. */

import { type Argument, exactTexts } from "./argument.ts"
import type { ShellPlace } from "./analysis.ts"
import { tidied, under } from "./paths.ts"
import { always, type Flow, type State } from "./state.ts"

/** The effect of `cd`: the new folder when it succeeds, the old one when it fails. */
export function changeFolder(args: readonly Argument[], state: State, place: ShellPlace): Flow {
  const operands = args[0]?.text === "--" ? args.slice(1) : args
  const folders = operands.length > 1 ? undefined : state.folders?.map((from) => folderAfter(operands[0], from, place))
  const known = folders?.every((folder) => folder !== undefined) ? folders : undefined
  return { succeeded: { ...state, folders: known }, failed: state }
}

function folderAfter(operand: Argument | undefined, from: string, place: ShellPlace): string | undefined {
  if (!operand) return place.home
  if (operand.kind !== "exact" || operand.text === "" || operand.text.startsWith("-")) return undefined
  const raw = operand.text.startsWith("/") ? operand.text : under(from, operand.text)
  const logical = tidied(raw)
  // The shell first takes dots off by name, and goes by the real folders when that fails: both must agree.
  const dots = operand.text.split("/").includes("..")
  return dots && place.realPath(logical) !== place.realPath(raw) ? undefined : logical
}

/**
 * `set` in the forms that only make a script stop earlier. Not -x: it shows what conditions compare, including secrets.
 */
export function isPlainSet(args: readonly Argument[]): boolean {
  const words = exactTexts(args)
  return words !== undefined && /^(?:-[eu]+ ?|(?:-[eu]*o (?:pipefail|errexit|nounset)) ?)+$/.test(words.join(" "))
}

export function leaves(args: readonly Argument[], state: State): Flow {
  const words = exactTexts(args)
  return words && words.length <= 1 && words.every((word) => /^\d+$/.test(word))
    ? { succeeded: undefined, failed: undefined }
    : always(state)
}
