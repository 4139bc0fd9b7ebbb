/**
 * What must be asked in every mode: removing the system, the home folder or the workspace, by mistake or through an
 * empty variable.
 */

import { posix } from "node:path"
import type { ShellPlace } from "./analysis.ts"
import { type Argument, isListed } from "./argument.ts"
import { readFind } from "./programs/find.ts"
import { absolute, contains, tidied } from "./paths.ts"

const foundByFind = "{}"
/** Stands for the words that xargs adds. */
const fed = "…"

/** Why the words are critical, as a sentence; undefined when they are not. */
export function criticality(
  args: readonly Argument[],
  folders: readonly string[] | undefined,
  place: ShellPlace,
): string | undefined {
  const [program, ...rest] = args
  const name = posix.basename(program?.text ?? "")
  if (name === "find") return findCritical(rest, folders, place)
  const isRecursive = rest.some(({ text }) => /^-[A-Za-z]*[rR]|^--rec/.test(text))
  if (!isRecursive || !recursive.has(name)) return undefined
  const operands = rest.filter(({ kind, text }) => kind !== "exact" || !text.startsWith("-"))
  return first(operands, (arg) => targetCritical(arg, folders, place))
}

const recursive: ReadonlySet<string> = new Set(["rm", "chmod", "chown", "chgrp", "shred", "srm"])

function findCritical(
  args: readonly Argument[],
  folders: readonly string[] | undefined,
  place: ShellPlace,
): string | undefined {
  const { roots, deletes, inner, narrows } = readFind(args)
  const removes = deletes || inner.some(([program]) => posix.basename(program?.text ?? "") === "rm")
  if (!removes) return undefined
  const starts = roots.length > 0 ? roots.map(({ text }) => text) : ["."]
  const places = starts.flatMap((start) => absolute(start, folders) ?? [])
  const touchesSystem = places.some((path) => isCriticalPath(path, { ...place, roots: [] }))
  const touchesWorkspace = !narrows && places.some((path) => isCriticalPath(path, place))
  return touchesSystem || touchesWorkspace ? "Removes files of the system, your home or this folder itself." : undefined
}

function targetCritical(arg: Argument, folders: readonly string[] | undefined, place: ShellPlace): string | undefined {
  switch (arg.kind) {
    case "dynamic":
      // What find found is judged by where find looked.
      if (arg.text === foundByFind && isListed(arg)) return undefined
      if (arg.text === fed) return "Removes whatever it is fed, which is not known before it runs."
      return `Removes what ${arg.text} names, which is not known before it runs and may be empty.`
    case "unknown":
      return `Removes what ${arg.text} names, which is not known before it runs and may be empty.`
    case "pipe":
      return undefined
    case "exact": {
      const paths = absolute(arg.text, folders)
      if (!paths)
        return /^\.{0,2}\/?$/.test(arg.text) ? "Removes a folder that is not known before it runs." : undefined
      const bad = paths.find((path) => isCriticalPath(path, place))
      return bad === undefined ? undefined : `Removes ${tidied(bad)} and everything in it.`
    }
    case "glob":
      return patternCritical(arg, folders, place)
  }
}

/** A pattern that matches everything is as much as its folder. */
function patternCritical(
  { text }: Argument,
  folders: readonly string[] | undefined,
  place: ShellPlace,
): string | undefined {
  const wide = text.split("/").findIndex((part) => /[*?[]/.test(part) && part.replace(/\[[^\]]*\]|[*?.]/g, "") === "")
  if (wide === -1) return undefined
  const base = text.split("/").slice(0, wide).join("/")
  const paths = absolute(text.startsWith("/") && base === "" ? "/" : base === "" ? "." : base, folders)
  if (!paths) return "Removes everything in a folder that is not known before it runs."
  const bad = paths.find((path) => isCriticalPath(path, place))
  return bad === undefined ? undefined : `Removes everything in ${tidied(bad)}.`
}

/** Whether a path is or contains the root, a system folder, the home folder or a workspace. */
function isCriticalPath(path: string, { home, roots, realPath }: ShellPlace): boolean {
  const forms = [tidied(path), tidied(realPath(path))]
  const kept = [home, ...roots].flatMap((folder) => [tidied(folder), tidied(realPath(folder))])
  return forms.some((form) => /^\/[^/]*$/.test(form) || kept.some((folder) => contains(form, folder)))
}

function first<T>(list: readonly T[], find: (each: T) => string | undefined): string | undefined {
  for (const each of list) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}

/** For text that cannot be parsed: whether it looks as if it removed too much. Errs towards yes. */
export function looksCritical(source: string): boolean {
  return source.split(/[;&|\n]/).some((part) => {
    const words = part.split(/\s+/)
    const after = words.slice(words.findIndex((word) => /(?:^|\W)rm["']?$/.test(word)) + 1)
    if (after.length === words.length) return false
    return (
      after.some((word) => /^["']?--?\w*[rR]/.test(word)) &&
      after.some((word) => /^["']?(?:\/|~|\$|\*|`|\.{1,2}\/?["']?$)/.test(word))
    )
  })
}
