/** Segments with what is known about the programs that they run without naming them. */

import type { Destruction, Segment } from "./analysis.ts"
import type { HiddenProgram } from "./hidden-programs.ts"
import type { Reading } from "./reading.ts"
import { emptySegment } from "./segment.ts"
import type { State } from "./state.ts"
import { commandsInCode, destructionInCode } from "./tables/destructive-code.ts"

export function withHidden(
  segments: readonly Segment[],
  hidden: readonly HiddenProgram[],
  reading: Reading,
): readonly Segment[] {
  const all = [...segments]
  for (const program of hidden) {
    const at = all.findIndex(({ text }) => text === program.by)
    if (at === -1 && program.texts.length === 0 && program.from === undefined) continue
    // What was not reached as a command is asked about as one.
    const segment = all[at] ?? { ...emptySegment(program.by, nowhere), verdict: "other" }
    all.splice(at === -1 ? all.length : at, 1, revealed(segment, program, reading))
  }
  return all
}

const nowhere: State = { folders: undefined, variables: new Map() }

function revealed(segment: Segment, { texts, fed, from }: HiddenProgram, reading: Reading): Segment {
  const state = { folders: segment.folders, variables: new Map() }
  const known = new Set(segment.behind.map(({ argv }) => argv.join("\0")))
  const read = (scripts: readonly string[]): readonly Segment[] =>
    scripts.flatMap((each) => reading.behind(each, state))
  const isCommand = ({ language }: HiddenProgram["texts"][number]): boolean =>
    language === "shell" || language === "sql"
  const commands = (all: HiddenProgram["texts"]): readonly string[] =>
    all.flatMap(({ language, text }) => (language === "shell" ? [text] : commandsInCode(language, text)))
  const behind = read(commands(texts.filter(isCommand))).filter(({ argv }) => !known.has(argv.join("\0")))
  // A string in a program may be a command or not: enough to warn of, not enough for a rule that denies.
  const perhaps = read(commands(texts.filter((each) => !isCommand(each))))
  const code = texts.map(({ language, text }) => destructionInCode(language, text)).find((each) => each !== undefined)
  const destructive: Destruction | undefined =
    segment.destructive ?? [...behind, ...perhaps].find((each) => each.destructive)?.destructive ?? code
  const critical = segment.critical ?? [...behind, ...perhaps].find((each) => each.critical)?.critical
  const fetched =
    from === undefined ? [...behind, ...perhaps].find((each) => each.fetched)?.fetched : downloadWords(from)
  return {
    ...segment,
    ...(destructive && { destructive }),
    ...(critical !== undefined && { critical }),
    ...(fetched !== undefined && { fetched }),
    fed: [...segment.fed, ...fed],
    behind: [...segment.behind, ...behind],
  }
}

const downloadWords = (host: string): string => `Downloads a program${host === "" ? "" : ` from ${host}`} and runs it.`
