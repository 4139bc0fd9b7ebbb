/** Commands with sources and a target: what is copied, moved and linked, and where it ends up. */

import { posix } from "node:path"
import { type Argument, exactly } from "#ground/workspace/shell/argument.ts"
import { absolute, isLink } from "#ground/workspace/shell/paths.ts"
import { type Finding, refused, type CommandContext } from "./program.ts"
import { type Fit, fit } from "#ground/workspace/shell/shape.ts"

/** Links that are copied as links could be where another part of the line looks. */
const relinking: ReadonlySet<string> = new Set(["-l", "-s", "--link", "--symbolic-link"])

/** Folders are copied with everything in them. */
const whole: ReadonlySet<string> = new Set(["-a", "-r", "-R", "--archive", "--recursive"])

/** Folders are copied with the links in them, and links as links. */
const keeping: ReadonlySet<string> = new Set([
  "-a",
  "-d",
  "-P",
  "-r",
  "-R",
  "--archive",
  "--no-dereference",
  "--recursive",
])

/**
 * Sources and where they go: in a folder they keep their names, so both forms of the target count. No -L and no -H
 * among the flags: they would follow links in a folder, wherever they lead.
 */
export function transfer(
  args: readonly Argument[],
  flags: string,
  how: "copies" | "moves",
  standing: CommandContext,
): Finding {
  const fitted = fit(args, { flags, operands: "path+", flagsFirst: true })
  if (!fitted.fits) return refused(fitted.why)
  const { sources, target } = endsOf(fitted)
  if (!target || sources.length === 0) return refused("its target is missing")
  const names = sources.map(({ kind, text }) => (kind === "exact" ? posix.basename(text) : undefined))
  // The content of a folder that ends in a dot is copied, and its names are unknown.
  const known = names.every((name) => name !== undefined && !/^\.{0,2}$/.test(name)) && target.kind === "exact"
  const landings = names.flatMap((name) => (name === undefined ? [] : [exactly(`${target.text}/${name}`)]))
  const presentFlags = [...fitted.given.flags]
  const mayHoldLinks = how === "moves" || presentFlags.some((flag) => keeping.has(flag))
  return {
    ok: true,
    reads: sources,
    writes: [target, ...(target.kind === "exact" ? landings : []), ...(how === "moves" ? sources : [])],
    transfers:
      how === "moves" || presentFlags.some((flag) => whole.has(flag))
        ? sources.map((from) => ({ from, to: target, how }))
        : [],
    harmless: known,
    unbounded: !known,
    relinks:
      presentFlags.some((flag) => relinking.has(flag)) ||
      (mayHoldLinks && sources.some((source) => holdsLink(source, standing))),
  }
}

/** Whether a source is a link, or a folder with links in it, as far as is known now. */
function holdsLink({ text }: Argument, { folders, place }: CommandContext): boolean {
  const paths = absolute(text, folders)
  return (
    !paths ||
    paths.some((path) => {
      if (!place.everyLink || isLink(path, place)) return true
      return place.everyLink(path)?.length !== 0
    })
  )
}

const lnFlags =
  "-b -f -i -L -n -P -r -s -v -t:write --force --interactive --logical --no-dereference --physical --relative --symbolic --target-directory:write --verbose --help --version"

/**
 * A symbolic link stores its text as written, relative to the link's folder. One to a place inside is harmless; a hard
 * link to the file itself is not, because it is invisible in a path.
 */
export function judgeLn(args: readonly Argument[], standing: CommandContext): Finding {
  const fitted = fit(args, { flags: lnFlags, operands: "path+", flagsFirst: true })
  if (!fitted.fits) return refused(fitted.why)
  const { flags } = fitted.given
  const isSymbolic = ["-s", "--symbolic"].some((flag) => flags.has(flag))
  const [source, link, ...more] = fitted.reads
  const isPlain =
    isSymbolic && ![...flags].some((flag) => /^(?:-[brLPt]|--(?:relative|logical|target-directory))$/.test(flag))
  if (!isPlain || source?.kind !== "exact" || link?.kind !== "exact" || more.length > 0) {
    const found = transfer(args, lnFlags, "copies", standing)
    const { sources, target: to } = endsOf(fitted)
    const transfers = to ? sources.map((from) => ({ from, to, how: "links" as const })) : []
    return found.ok ? { ...found, transfers, harmless: false, relinks: true } : found
  }
  // If a folder exists there, the link ends up in it.
  const places = [posix.dirname(link.text), link.text].map((folder) => exactly(fromFolder(folder, source.text)))
  const inFolder = exactly(`${link.text}/${posix.basename(source.text)}`)
  const transfers = places.map((from) => ({ from, to: link, how: "links" as const }))
  return { ok: true, reads: places, writes: [link, inFolder], transfers, harmless: true, relinks: true }
}

const fromFolder = (folder: string, path: string): string => (path.startsWith("/") ? path : `${folder}/${path}`)

function endsOf({ given, reads }: Extract<Fit, { fits: true }>): {
  readonly sources: readonly Argument[]
  readonly target: Argument | undefined
} {
  const folder = given.values.find(({ kind }) => kind === "write")?.value
  if (folder) return { sources: reads, target: folder }
  return { sources: reads.slice(0, -1), target: reads.at(-1) }
}
