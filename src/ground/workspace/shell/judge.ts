/** The verdict on one simple command: read-only, touching files, or neither; with the paths it names. */

import { posix } from "node:path"
import type { Transfer, Verdict } from "./analysis.ts"
import { type Argument, isListed } from "./argument.ts"
import { expansionOf } from "./expansions.ts"
import { linksBelow } from "./links.ts"
import { listingOf } from "./made-names.ts"
import { absolute, contains, tidied, touched, under } from "./paths.ts"
import {
  type Family,
  type Finding,
  type KnownProgram,
  reading,
  refused,
  type Special,
  type CommandContext,
} from "./programs/program.ts"
import type { Listing } from "./listing.ts"
import { type Asks, fit, type Shape } from "./shape.ts"
import type { SortedWords } from "./sort-out.ts"
import { type Behind, fileBehind } from "./programs/stand-in.ts"
import { relies, strayFile } from "./stray-file.ts"
import { files } from "./tables/files.ts"
import { readerNamed } from "./tables/readers.ts"

export interface Judgement {
  readonly verdict: Verdict
  readonly why?: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly transfers: readonly Transfer[]
  readonly unbounded: boolean
  readonly harmless: boolean
  readonly relinks: boolean
  readonly relies: boolean
  readonly listing?: Listing
  /** What it prints, when that is one word that is not a flag. */
  readonly prints?: "number" | "token"
  /** What it asks besides files. */
  readonly asks?: Asks
}

/** The first word is a program; wrappers are already removed. */
export function judge(args: readonly Argument[], standing: CommandContext): Judgement {
  const [program, ...rest] = args
  const name = program?.kind === "exact" ? plainName(program.text) : undefined
  if (program === undefined || name === undefined) return other("its program is not on any list")
  const reader = readerNamed(name)
  const known = reader ?? own(files, name)
  if (!known) return other(`${name} is not on the list of commands that only read`)
  const finding = tellsOfItself(name, rest) ? reading() : judgeProgram(known, rest, standing)
  const behind = finding.ok ? filesBehind([...(standing.wrappers ?? []), program.text], standing) : { relies: false }
  if (behind.why !== undefined) return other(behind.why)
  const isReader = reader !== undefined && !(finding.ok && finding.writes.length > 0)
  const judged = settle(finding, isReader ? "read_only" : "touches_files", standing)
  return behind.relies ? { ...judged, relies: true } : judged
}

/** Programs with their own grammar that print version and help before anything else, and read nothing for it. */
const selfTelling: ReadonlySet<string> = new Set(["find", "ln", "sed", "tar"])

const tellsOfItself = (name: string, rest: readonly Argument[]): boolean =>
  selfTelling.has(name) && rest.length === 1 && rest[0]?.kind === "exact" && /^--(?:version|help)$/.test(rest[0].text)

/** The tables are about programs; a name may lead to something else. */
function filesBehind(words: readonly string[], standing: CommandContext): Behind {
  const all = words.map((word) => fileBehind(word, standing))
  return all.find(({ why }) => why !== undefined) ?? { relies: all.some((each) => each.relies) }
}

/** The name by which tables know a program: its own, or the one in a system folder. */
function plainName(path: string): string | undefined {
  const [, name] = /^(?:\/usr\/bin\/|\/bin\/)?([^/]+)$/.exec(path) ?? []
  return name
}

function own(table: { readonly [name: string]: KnownProgram }, name: string): KnownProgram | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function judgeProgram(program: KnownProgram, args: readonly Argument[], standing: CommandContext): Finding {
  if (isFamily(program)) return judgeFamily(program, args, standing)
  if (isSpecial(program)) return program.judge(args, standing)
  return judgeShape(program, args, standing)
}

/** What applies to a family applies to its members. */
function inherited(program: KnownProgram, { flagsAnywhere, letters }: Family): KnownProgram {
  if (isSpecial(program)) return program
  return { ...program, ...(flagsAnywhere && { flagsAnywhere }), ...(letters && { letters }) }
}

function judgeFamily(family: Family, all: readonly Argument[], outer: CommandContext): Finding {
  const { args, standing } = entered(family, all, outer)
  if (!standing) return refused("the folder it would run in is not known")
  const finding = judgeMember(family, args, standing)
  if (!finding.ok || standing.folders?.[0] === outer.place.cwd) return finding
  // What it is given or prints is meant from that folder, and the rest of the line is read from this one.
  const isElsewhere = standing !== outer
  if (isElsewhere && finding.reads.length + finding.writes.length > 0) return refused("its files lie in another folder")
  const { lists: _, listed: __, ...plain } = finding
  return { ...(isElsewhere ? plain : finding), ...(family.repository && { relies: true }) }
}

/** Past the flags that change nothing, in the folder that a flag names; without one the folder is not known. */
function entered(
  { idleFlags = [], folderFlag }: Family,
  args: readonly Argument[],
  standing: CommandContext,
): { readonly args: readonly Argument[]; readonly standing?: CommandContext } {
  const [first, second] = args
  if (first?.kind !== "exact") return { args, standing }
  const rest = { idleFlags, ...(folderFlag !== undefined && { folderFlag }), subcommands: {} }
  if (idleFlags.includes(first.text)) return entered(rest, args.slice(1), standing)
  if (first.text !== folderFlag) return { args, standing }
  const folders = second?.kind === "exact" && second.text !== "" ? absolute(second.text, standing.folders) : undefined
  if (!folders) return { args }
  return entered(rest, args.slice(2), { ...standing, folders: folders.map(tidied) })
}

function judgeMember(family: Family, args: readonly Argument[], standing: CommandContext): Finding {
  const [first, ...rest] = args
  const isNamed = first !== undefined && own(family.subcommands, first.text) !== undefined
  const isFlag = first === undefined || (first.text.startsWith("-") && !isNamed)
  if (first && first.kind !== "exact") return refused("its subcommand is not known")
  if (family.repository && !(isFlag || first?.text === "version")) {
    const why = repositoryObjection(standing)
    if (why !== undefined) return refused(why)
  }
  if (isFlag)
    return family.alone
      ? judgeShape(family.alone, first ? [first, ...rest] : [], standing)
      : refused("it has no subcommand")
  const inner = own(family.subcommands, first.text)
  const [only, ...others] = rest
  if (family.tellsUsage && inner && only?.kind === "exact" && only.text === "-h" && others.length === 0)
    return reading()
  return inner
    ? judgeProgram(inherited(inner, family), rest, standing)
    : refused(`its subcommand ${first.text} is not known to only read`)
}

/** git runs what the configuration of its folder says: that of the session, or one in the workspace, without links. */
function repositoryObjection({ folders, place }: CommandContext): string | undefined {
  const [folder, ...others] = folders ?? []
  if (folder === undefined || others.length > 0 || !isOwnFolder(folder, place))
    return "git would run in another folder, whose configuration could start programs"
  return place.repositoryRunsPrograms(folder) ? "the configuration of this repository could start programs" : undefined
}

function isOwnFolder(folder: string, { cwd, roots, realPath }: CommandContext["place"]): boolean {
  return folder === cwd || (realPath(folder) === folder && roots.some((root) => contains(realPath(root), folder)))
}

function judgeShape(shape: Shape, args: readonly Argument[], standing: CommandContext): Finding {
  const fitted = fit(args, shape)
  if (!fitted.fits) return refused(fitted.why)
  const { given, reads, writes } = fitted
  const stray = strayFile(shape, standing, { flags: given.flags, reads })
  if (stray !== undefined) return refused(stray)
  const around = shape.unlessAround?.(given, standing)
  if (around !== undefined) return refused(around)
  if (namesDash(given) && !isPlainDash(standing)) return refused("a link is called -")
  const isHere = shape.here === true || (shape.here !== undefined && shape.here(given))
  return {
    ok: true,
    reads,
    writes,
    here: isHere && reads.length === 0,
    ...namesOf(shape, given, reads),
    passes: reads.length === 0 && (shape.passes?.(given) ?? false),
    relies: relies(shape),
    prints: shape.prints?.(given),
    asks: typeof shape.asks === "function" ? shape.asks(given) : (shape.asks ?? "nothing"),
    follows: shape.follows?.(given) ?? false,
    keepsLinks: shape.keepsLinks?.(given) ?? false,
  }
}

const namesDash = ({ operands, values }: SortedWords): boolean =>
  [...operands, ...values.map(({ value }) => value)].some(({ text }) => text === "-")

/** To many programs a dash means their input, to others it is an ordinary file. */
const isPlainDash = ({ folders, place }: CommandContext): boolean =>
  folders?.every((folder) => place.realPath(under(folder, "-")) === under(place.realPath(folder), "-")) ?? false

function namesOf(
  { lists }: Shape,
  words: SortedWords,
  reads: readonly Argument[],
): Pick<Extract<Finding, { ok: true }>, "lists" | "listed"> {
  const found = lists?.(words)
  return found ? { lists: found, listed: reads } : {}
}

function settle(
  finding: Finding,
  verdict: Exclude<Verdict, "other">,
  { folders, place, fed }: CommandContext,
): Judgement {
  if (!finding.ok) return other(finding.why)
  const read = touched(finding.reads, folders, place, finding.keepsLinks ? "kept" : "followed")
  const written = touched(finding.writes, folders, place)
  const isOpen = read.unbounded || written.unbounded
  const dashed = isOpen
    ? [...finding.reads, ...finding.writes].find((arg) => findsDash(arg, folders, place))
    : undefined
  if (dashed) return other(`${dashed.text} finds a name that looks like a flag`)
  const here = finding.here ? absolute(".", folders) : []
  const named = [...read.paths, ...(here ?? []).map((path) => path.slice(0, -2) || "/")]
  const walked = finding.follows === "in folders" ? named.filter((path) => place.list?.(path) !== undefined) : named
  const links = finding.follows ? linksBelow(walked, place) : []
  const reads = [...named, ...(links ?? [])]
  const unbounded = isOpen || !here || !links || finding.unbounded === true
  const isWrite = verdict === "touches_files" && (finding.writes.length > 0 || unbounded)
  const listing = printedBy(finding, { folders, place, fed })
  return {
    verdict: isWrite ? "touches_files" : "read_only",
    ...(isWrite && { why: "it changes files" }),
    reads,
    writes: written.paths,
    transfers: transfersOf(finding, { folders, place }),
    unbounded,
    harmless: isWrite && finding.harmless === true && !unbounded,
    relinks: finding.relinks ?? false,
    // What was found by name must still be all when it runs.
    relies: finding.relies === true || [...finding.reads, ...finding.writes].some(isListed),
    ...(listing && !unbounded && { listing }),
    ...(finding.prints && { prints: finding.prints }),
    ...(finding.asks && { asks: finding.asks }),
  }
}

/** As with a word that is written out, `--` before it is not enough to run unasked. */
function findsDash(arg: Argument, folders: CommandContext["folders"], place: CommandContext["place"]): boolean {
  if (arg.kind !== "glob" || arg.head !== "") return false
  const found = expansionOf(arg, folders, place)
  return found.kind === "words" && found.words.some((word) => word.startsWith("-"))
}

/** In an existing folder things keep their names, so both places count. */
function transfersOf(
  { transfers = [] }: Extract<Finding, { ok: true }>,
  { folders, place }: Pick<CommandContext, "folders" | "place">,
): readonly Transfer[] {
  return transfers.flatMap(({ from, to, how }) => {
    const targets = touched([to], folders, place).paths
    return touched([from], folders, place).paths.flatMap((source) =>
      targets.flatMap((target) => [
        { from: source, to: target, how },
        { from: source, to: under(target, posix.basename(source)), how },
      ]),
    )
  })
}

function printedBy(
  finding: Extract<Finding, { ok: true }>,
  { folders, place, fed }: CommandContext,
): Listing | undefined {
  // A filter works on lines: between NULs it would see one.
  if (finding.passes && fed) return fed.nul ? undefined : fed
  return finding.lists && listingOf(finding.lists, { operands: finding.listed ?? [], folders, place })
}

/** Of a step that does nothing by itself. */
export const harmlessStep: Judgement = {
  verdict: "read_only",
  reads: [],
  writes: [],
  transfers: [],
  unbounded: false,
  harmless: false,
  relinks: false,
  relies: false,
}

export const other = (why: string): Judgement => ({ ...harmlessStep, verdict: "other", why })

const isFamily = (program: KnownProgram): program is Family => "subcommands" in program
const isSpecial = (program: KnownProgram): program is Special => "judge" in program
