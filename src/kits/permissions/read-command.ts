/** A shell command as rules see it: the result of the analysis, and what the text could hide where that is not enough. */

import type { Analysis, Segment } from "#ground/workspace/shell/analysis.ts"
import { isOpaque, isLauncher } from "#ground/workspace/shell/programs/launchers.ts"

export interface ReadCommand {
  readonly text: string
  readonly analysis: Analysis
  readonly everything: readonly Segment[]
  /** The text without quotes and backslashes, which do not change the program that runs. */
  readonly bare: () => string
  /** Whether some command gets its name by an expansion, or runs something that the text need not name. */
  readonly hidesItsProgram: () => boolean
}

export function readCommand(text: string, analysis: Analysis): ReadCommand {
  let bare: string | undefined
  let hides: boolean | undefined
  const command: ReadCommand = {
    text,
    analysis,
    everything: withBehind(analysis.segments),
    bare: () => (bare ??= text.replace(/\\\n|["'\\]/g, "")),
    hidesItsProgram: () => (hides ??= hidesProgram(command.bare())),
  }
  return command
}

function withBehind(segments: readonly Segment[]): readonly Segment[] {
  return segments.flatMap((segment) =>
    segment.behind.length === 0 ? [segment] : [segment, ...withBehind(segment.behind)],
  )
}

function hidesProgram(text: string): boolean {
  const withoutTargets = text.replace(/`([^`]*)`/g, "$($1)").replace(/\d*[<>]+[&|]?\s*(?!\()[^\s;&|()]+/g, " ")
  return withoutTargets.split(/[;&|\n\r(){}`]/).some((part) => {
    const words = part.split(/\s+/).filter((word) => word !== "" && !beforeTheName.test(word))
    const inner = isLauncher(words[0] ?? "") ? words : words.slice(0, 1)
    return inner.some((word) => isOpaque(word) || (/[$*?[\]~]/.test(word) && word !== "[" && word !== "[["))
  })
}

/** What may precede the name of a program: assignments and keywords of compound commands. */
const beforeTheName = /^(?:[A-Za-z_]\w*\+?=.*|!|if|then|else|elif|while|until|do|for)$/
