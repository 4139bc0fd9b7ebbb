/** The verdict on one simple command: read-only, touching files, or neither; with the paths it names. */

import { posix } from "node:path"
import type { Place, Verdict } from "./analysis.ts"
import type { Argument } from "./argument.ts"
import { absolute, touched, under } from "./paths.ts"
import type { Family, Finding, Program, Special } from "./program.ts"
import { refused } from "./program.ts"
import type { Listing } from "./reading.ts"
import { fit, type Shape } from "./shape.ts"
import { coreutils } from "./tables/coreutils.ts"
import { files } from "./tables/files.ts"
import { git } from "./tables/git.ts"
import { search } from "./tables/search.ts"
import { text } from "./tables/text.ts"
import { tools } from "./tables/tools.ts"

export interface Judgement {
  readonly verdict: Verdict
  readonly why?: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly unbounded: boolean
  readonly harmless: boolean
  readonly relinks: boolean
  readonly listing?: Listing
}

/** Where a command stands when it is judged. */
export interface Standing {
  readonly folders: readonly string[] | undefined
  readonly place: Place
  /** What it is fed, when that is a list of files. */
  readonly fed: Listing | undefined
}

const tables = [coreutils, text, search, tools, { git }] as const

/** Judges words whose first is a program; wrappers are off already. */
export function judge(args: readonly Argument[], standing: Standing): Judgement {
  const [program, ...rest] = args
  const name = program?.kind === "exact" ? plainName(program.text) : undefined
  if (name === undefined) return other("its program is not on any list")
  const reader = tables.map((table) => own(table, name)).find((entry) => entry !== undefined)
  if (reader) return settle(judgeProgram(reader, rest, standing), "read_only", standing)
  const toucher = own(files, name)
  if (toucher) return settle(judgeProgram(toucher, rest, standing), "touches_files", standing)
  return other(`${name} is not on the list of commands that only read`)
}

/** The name by which tables know a program: its own, or the one in a folder of the system. */
function plainName(path: string): string | undefined {
  const [, name] = /^(?:\/usr\/bin\/|\/bin\/)?([^/]+)$/.exec(path) ?? []
  return name
}

function own(table: { readonly [name: string]: Program }, name: string): Program | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function judgeProgram(program: Program, args: readonly Argument[], standing: Standing): Finding {
  if (isFamily(program)) return judgeFamily(program, args, standing)
  if (isSpecial(program)) return program.judge(args)
  return judgeShape(program, args, standing)
}

/** What holds for a family holds for what is in it. */
function inherited(program: Program, { flagsAnywhere }: Family): Program {
  return flagsAnywhere && !isSpecial(program) ? { ...program, flagsAnywhere } : program
}

function judgeFamily(family: Family, args: readonly Argument[], standing: Standing): Finding {
  const [first, ...rest] = args
  const isFlag = first === undefined || first.text.startsWith("-")
  if (first && first.kind !== "exact") return refused("its subcommand is not known")
  if (family.repository && !(isFlag || first?.text === "version")) {
    const why = repositoryObjection(standing)
    if (why !== undefined) return refused(why)
  }
  if (isFlag) return family.alone ? judgeShape(family.alone, args, standing) : refused("it has no subcommand")
  const inner = own(family.subcommands, first.text)
  return inner
    ? judgeProgram(inherited(inner, family), rest, standing)
    : refused(`its subcommand ${first.text} is not on the list`)
}

/** git runs what the configuration of its folder says, so that only the folder of the session is trusted to be looked at. */
function repositoryObjection({ folders, place }: Standing): string | undefined {
  if (folders?.length !== 1 || folders[0] !== place.cwd)
    return "git would run in another folder, whose configuration could start programs"
  return place.repositoryRunsPrograms(place.cwd)
    ? "the configuration of this repository could start programs"
    : undefined
}

function judgeShape(shape: Shape, args: readonly Argument[], standing: Standing): Finding {
  const fitted = fit(args, shape)
  if (!fitted.fits) return refused(fitted.why)
  const { given, reads, writes } = fitted
  const stray = shape.unlessFile && strayFile(shape.unlessFile, standing)
  if (stray !== undefined) return refused(`${stray} could make it another program`)
  const isHere = shape.here === true || (shape.here !== undefined && shape.here(given))
  return {
    ok: true,
    reads,
    writes,
    here: isHere && reads.length === 0,
    ...(shape.lists?.(given) && { lists: { head: "", nul: false } }),
    passes: reads.length === 0 && (shape.passes?.(given) ?? false),
  }
}

/** A file with one of the names, in the working folder or above it; what lies in the home is the person's own. */
function strayFile(names: readonly string[], { folders, place }: Standing): string | undefined {
  for (const start of folders ?? ["/"]) {
    for (let folder = start; ; folder = posix.dirname(folder)) {
      const found =
        folder === place.home ? undefined : names.find((name) => place.exists?.(under(folder, name)) ?? true)
      if (found !== undefined) return found
      if (folder === "/" || folder === ".") break
    }
  }
  return undefined
}

function settle(finding: Finding, verdict: Exclude<Verdict, "other">, { folders, place, fed }: Standing): Judgement {
  if (!finding.ok) return other(finding.why)
  const read = touched(finding.reads, folders, place)
  const written = touched(finding.writes, folders, place)
  const here = finding.here ? absolute(".", folders) : []
  const reads = [...read.paths, ...(here ?? []).map((path) => path.slice(0, -2) || "/")]
  const unbounded = read.unbounded || written.unbounded || !here || finding.unbounded === true
  const isWrite = verdict === "touches_files" && (finding.writes.length > 0 || unbounded)
  const listing = listingOf(finding, reads, folders, fed)
  return {
    verdict: isWrite ? "touches_files" : "read_only",
    ...(isWrite && { why: "it changes files" }),
    reads,
    writes: written.paths,
    unbounded,
    harmless: isWrite && finding.harmless === true && !unbounded,
    relinks: finding.relinks ?? false,
    ...(listing && !unbounded && { listing }),
  }
}

function listingOf(
  finding: Extract<Finding, { ok: true }>,
  reads: readonly string[],
  folders: readonly string[] | undefined,
  fed: Listing | undefined,
): Listing | undefined {
  // A filter works on lines, so that a name which holds a line end falls apart in it.
  if (finding.passes && fed) return { ...fed, head: "", nul: false }
  return finding.lists && folders && { below: [...reads, ...folders], ...finding.lists }
}

function other(why: string): Judgement {
  return { verdict: "other", why, reads: [], writes: [], unbounded: false, harmless: false, relinks: false }
}

const isFamily = (program: Program): program is Family => "subcommands" in program
const isSpecial = (program: Program): program is Special => "judge" in program
