/** Segments: the plainest one, and those of a command with everything known about it. */

import { optional } from "#lib/optional.ts"
import type { Segment, Setting } from "./analysis.ts"
import { type Argument, exactly } from "./argument.ts"
import { overwritesFile } from "./programs/checked-out.ts"
import { criticality } from "./critical.ts"
import { destruction } from "./destructive.ts"
import { expansionOf } from "./expansions.ts"
import type { Judgement } from "./judge.ts"
import { hiddenBehind, startOf } from "./programs/launchers.ts"
import { touched } from "./paths.ts"
import type { Reading } from "./reading.ts"
import type { Asks } from "./shape.ts"
import type { State } from "./state.ts"

export function emptySegment(text: string, { folders }: State): Segment {
  return {
    text,
    argv: [],
    inexact: [],
    expansions: [],
    fed: [],
    open: false,
    wrappers: [],
    assignments: [],
    cwd: folders?.length === 1 ? folders[0] : undefined,
    folders,
    reads: [],
    writes: [],
    transfers: [],
    unbounded: false,
    verdict: "read_only",
    harmless: false,
    relinks: false,
    relies: false,
    behind: [],
  }
}

export interface Parts {
  readonly text: string
  readonly at: number | undefined
  readonly args: readonly Argument[]
  readonly state: State
  readonly judgement: Judgement
  readonly redirects: Pick<Segment, "reads" | "writes" | "unbounded">
  readonly assignments: readonly Setting[]
  readonly wrappers: readonly string[]
  readonly open: boolean
}

export function commandSegment(parts: Parts, reading: Reading): Segment {
  const { args, state, judgement, redirects } = parts
  const argv = args.map(({ text }) => text)
  const behind = behindOf(args, state, reading)
  const disk = redirects.writes.some((path) => /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk)/.test(path))
  const start = startOf(argv)
  const destructive =
    destruction(argv) ??
    (start && destruction(argv.slice(start.at))) ??
    overwritesFile(argv, state.folders, reading.place) ??
    firstOf(behind, (each) => each.destructive) ??
    (disk ? overwritesDisk : undefined) ??
    (removesFound(argv, parts) ? removedFound : undefined)
  const critical = criticality(args, state.folders, reading.place) ?? firstOf(behind, (each) => each.critical)
  const fetched = firstOf(behind, (each) => each.fetched)
  return {
    ...emptySegment(parts.text, state),
    ...optional("at", parts.at),
    argv,
    inexact: args.flatMap(({ kind }, i) => (kind === "exact" ? [] : [i])),
    expansions: expansionsOf(parts, reading),
    open: parts.open,
    wrappers: parts.wrappers,
    assignments: parts.assignments,
    ...weighed(withOutputs(judgement, args, state, reading), redirects, parts.assignments),
    ...askedOf(judgement.asks),
    ...(destructive && { destructive }),
    ...(removesFresh(args) && { removesFresh: true }),
    ...(critical !== undefined && { critical }),
    ...(fetched !== undefined && { fetched }),
    behind,
  }
}

/** Where the words fit a table, none of them is a flag that it does not have. */
function expansionsOf({ args, state, judgement }: Parts, { place }: Reading): Segment["expansions"] {
  return args.flatMap((arg) => {
    if (arg.kind === "exact") return []
    return [judgement.verdict === "other" ? expansionOf(arg, state.folders, place) : { kind: "operand" as const }]
  })
}

function askedOf(asks: Asks | undefined): Pick<Segment, "machine" | "network" | "service" | "asksGitSettings"> {
  switch (asks) {
    case "machine":
      return { machine: true }
    case "network":
      return { network: true }
    case "service":
      return { network: true, service: true }
    case "git-settings":
      return { asksGitSettings: true }
    default:
      return {}
  }
}

/** Flags that tell unlisted programs where to write, in full and abbreviated. */
const outputFlag =
  /^(?:-[A-Za-z]*[oO]|--outp?u?t?|--(?:output|out)[-_]?(?:file|dir|directory|document|path)|--log[-_]?file)$/

/** What an unlisted program would write, as far as its flags say so. */
function withOutputs(
  judgement: Judgement,
  args: readonly Argument[],
  { folders }: State,
  { place }: Reading,
): Judgement {
  if (judgement.verdict !== "other") return judgement
  const targets = args.flatMap((arg, i) => {
    const equals = arg.text.indexOf("=")
    if (equals > 0 && outputFlag.test(arg.text.slice(0, equals)))
      return arg.kind === "exact" ? [exactly(arg.text.slice(equals + 1))] : []
    const value = args[i + 1]
    return outputFlag.test(arg.text) && value?.kind === "exact" && !value.text.startsWith("-") ? [value] : []
  })
  const paths = touched(targets, folders, place).paths.filter((path) => !path.startsWith("/dev/"))
  return paths.length === 0 ? judgement : { ...judgement, writes: [...judgement.writes, ...paths] }
}

function removesFresh([program, ...rest]: readonly Argument[]): boolean {
  const operands = rest.filter(({ kind, text }) => kind !== "exact" || !text.startsWith("-"))
  return program?.text === "rm" && operands.length > 0 && operands.every(({ fresh }) => fresh)
}

/** `find -exec rm` and `xargs rm` remove as much as `find -delete` does. */
const removesFound = ([name = ""]: readonly string[], { wrappers, open }: Parts): boolean =>
  open && /^(?:.*\/)?(?:rm|unlink|rmdir)$/.test(name) && wrappers.some((each) => each === "find" || each === "xargs")

const removedFound = { what: "removing whatever is found", risk: "every file that matches is removed for good" }

const overwritesDisk = { what: "writing to a disk", risk: "everything on it is lost" }

type Weighed = Pick<
  Segment,
  "reads" | "writes" | "transfers" | "unbounded" | "verdict" | "harmless" | "relinks" | "relies"
> & {
  readonly why?: string
}

/** The verdict together with redirections and variables around the command. */
function weighed(judgement: Judgement, redirects: Parts["redirects"], assignments: readonly Setting[]): Weighed {
  const paths = {
    reads: [...judgement.reads, ...redirects.reads],
    writes: [...judgement.writes, ...redirects.writes],
    transfers: judgement.transfers,
    unbounded: judgement.unbounded || redirects.unbounded,
    relinks: judgement.relinks,
    relies: judgement.relies,
  }
  const loud = assignments.find(({ harmless }) => !harmless)
  if (loud)
    return { ...paths, verdict: "other", harmless: false, why: `${loud.name} could change what the program does` }
  const writesOutput = judgement.verdict === "read_only" && redirects.writes.length > 0
  if (writesOutput) return { ...paths, verdict: "touches_files", harmless: !paths.unbounded, why: "it writes a file" }
  return {
    ...paths,
    verdict: judgement.verdict,
    harmless: judgement.harmless,
    ...(judgement.why !== undefined && { why: judgement.why }),
  }
}

function behindOf(args: readonly Argument[], state: State, reading: Reading): readonly Segment[] {
  return hiddenBehind(args).flatMap((hidden) => {
    if (hidden.kind === "script") return reading.behind(hidden.text, state)
    const argv = hidden.args.map(({ text }) => text)
    const destructive = destruction(argv)
    const critical = criticality(hidden.args, state.folders, reading.place)
    return [
      {
        ...emptySegment(argv.join(" "), state),
        argv,
        inexact: hidden.args.flatMap(({ kind }, i) => (kind === "exact" ? [] : [i])),
        verdict: "other" as const,
        ...(destructive && { destructive }),
        ...(critical !== undefined && { critical }),
      },
    ]
  })
}

function firstOf<T, U>(list: readonly T[], find: (each: T) => U | undefined): U | undefined {
  for (const each of list) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}
