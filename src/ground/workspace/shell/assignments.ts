/** Variables: set for one command or for the rest of the script. */

import type { ArrayValue, Assignment } from "unbash"
import type { Segment, Setting } from "./analysis.ts"
import { type Argument, someText, unknown } from "./argument.ts"
import { changesTheShell, isHarmlessSetting, isOwnName } from "./names.ts"
import type { Decoder } from "./pieces.ts"
import type { Reading } from "./reading.ts"
import { emptySegment } from "./segment.ts"
import { type State, withVariable } from "./state.ts"
import { readWord } from "./word.ts"

/** Variables set for the rest of the script. */
export function walkAssignments(
  list: readonly Assignment[],
  text: string,
  state: State,
  redirects: Pick<Segment, "reads" | "writes" | "unbounded">,
  reading: Reading,
): State {
  let after = state
  const assignments = list.map((assignment): Setting => {
    const { name, value } = readAssignment(assignment, { reading, state: after })
    if (changesTheShell(name)) reading.doubt(`it sets ${name}, which the shell reads itself`)
    after = withVariable(after, name, value)
    return { ...settingOf({ name, value }), harmless: isOwnName(name) || settingOf({ name, value }).harmless }
  })
  const loud = assignments.find(({ harmless }) => !harmless)
  const isWrite = redirects.writes.length > 0
  reading.add({
    ...emptySegment(text, state),
    ...redirects,
    assignments,
    verdict: loud ? "other" : isWrite ? "touches_files" : "read_only",
    harmless: !loud && isWrite && !redirects.unbounded,
    ...(loud ? { why: `${loud.name} could change what programs do` } : isWrite && { why: "it writes a file" }),
  })
  return after
}

export interface Assigned {
  readonly name: string
  readonly value: Argument
}

export function readAssignment({ name, value, append, index, text }: Assignment, decoder: Decoder): Assigned {
  if (value.type === "ArrayValue" && !append && !index && /^\w+=\(/.test(text))
    return { name, value: readArray(value, text, decoder) }
  if (value.type !== "Word" || append || index || text !== `${name}=${value.text}`) {
    decoder.reading.doubt(`the assignment ${text} is more than a name and a value`)
    decoder.reading.salvage(value)
    if (index) decoder.reading.salvage(index)
    return { name, value: unknown(text) }
  }
  return { name, value: readWord(value, "whole", decoder)[0] ?? unknown(text) }
}

/** An array of words that are each one word; a word with a leading bracket could set its own index. */
function readArray({ elements }: ArrayValue, text: string, decoder: Decoder): Argument {
  const list = elements.flatMap((word) => readWord(word, "split", decoder))
  if (
    list.some(({ many, kind }) => many || kind === "unknown" || kind === "pipe") ||
    elements.some((word) => word.text.startsWith("["))
  )
    decoder.reading.doubt("nobody can say what an array holds")
  return { ...someText(text), list }
}

export function settingOf({ name, value }: Assigned): Setting {
  const known = value.kind === "exact" ? value.text : undefined
  return { name, value: known, harmless: isHarmlessSetting(name, known) }
}
