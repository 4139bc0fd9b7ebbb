/**
 * Whether the file behind a name is the program that the tables know by it, or one that could start what the project
 * chooses.
 * See decision 48.
 */

import { posix } from "node:path"
import { contains } from "#ground/workspace/shell/paths.ts"
import type { CommandContext } from "./program.ts"
import type { ProgramFile } from "./program-file.ts"
import { chooser } from "#ground/workspace/shell/stray-file.ts"
import {
  installed,
  installedAtHome,
  type Manager,
  managers,
  multicall,
  nodePackages,
  otherNames,
  packaged,
  scripts,
} from "#ground/workspace/shell/tables/installs.ts"

export interface Behind {
  /** Why it is not the program, as the end of a sentence; absent when it is, or when nothing would run at all. */
  readonly why?: string
  /** Whether that depends on which files are around the command, or on what the project puts on the PATH. */
  readonly relies: boolean
}

/** Part of the shell, which looks for no file. */
const builtins: ReadonlySet<string> = new Set(
  ": [ bg builtin cd command echo exit export false fg help history jobs kill local noglob printf pwd read set test time times true type ulimit umask wait".split(
    " ",
  ),
)

/** A script's interpreter may be a script itself; so many of them are looked at. */
const deepest = 4

export function fileBehind(word: string, standing: CommandContext, depth = 0): Behind {
  const { place } = standing
  if (!place.program || builtins.has(word)) return { relies: false }
  if (depth > deepest) return { why: "nobody can say what it would start", relies: false }
  const { file, isCertain } = place.program(word, (folder) => place.roots.some((root) => contains(root, folder)))
  if (!file) return { relies: !isCertain }
  const name = posix.basename(word)
  const { why, relies } = asNamed(name, file, standing, depth)
  return { ...(why !== undefined && { why }), relies: relies || !isCertain }
}

function asNamed(name: string, file: ProgramFile, standing: CommandContext, depth: number): Behind {
  if (isOfProject(file.real, standing))
    return { why: `it would run ${file.real}, which is part of the project`, relies: false }
  const realName = posix.basename(file.real)
  const manager = managers.find((each) => standsIn(each, name, file, realName))
  if (manager) return chosenBy(manager, name, standing)
  if (!isKnown(name, file, standing))
    return { why: `nobody knows what ${file.path} would start: it is not ${name} itself`, relies: false }
  const started = [...(file.content === "script" ? [interpreterOf(file)] : []), ...(own(scripts, name)?.starts ?? [])]
  let relies = false
  for (const each of started) {
    if (each === undefined) return { why: `nobody knows what ${file.path} would start`, relies: false }
    const behind = fileBehind(each, standing, depth + 1)
    if (behind.why !== undefined) return behind
    relies ||= behind.relies
  }
  return { relies }
}

function isOfProject(path: string, { place: { roots, realPath } }: CommandContext): boolean {
  return roots.some((root) => contains(root, path) || contains(realPath(root), path))
}

function standsIn(manager: Manager, name: string, file: ProgramFile, realName: string): boolean {
  if (name === manager.name) return false
  if (file.content === "script") return manager.script?.test(file.text) ?? false
  return realName === manager.name || ((manager.proxies?.test(name) ?? false) && file.hasBeside(manager.name))
}

function chosenBy({ name: manager, files }: Manager, name: string, standing: CommandContext): Behind {
  if (!files) return { why: `${manager} chooses which ${name} runs`, relies: false }
  const found = chooser(files, standing)
  return found === undefined
    ? { relies: true }
    : { why: `${found} chooses which ${name} ${manager} would run`, relies: true }
}

function isKnown(name: string, file: ProgramFile, standing: CommandContext): boolean {
  const { real, content } = file
  const ofPackage = nodePackageOf(real)
  if (ofPackage !== undefined)
    return ofPackage === (own(nodePackages, name) ?? name) && isInstalled(real, standing.place.home, "below")
  const fits = isNamed(name, posix.basename(real))
  if (content === "script" && own(scripts, name)?.at?.test(real)) return isInstalled(real, standing.place.home, "below")
  if (packaged.some((folder) => folder.test(real)))
    return content !== "unknown" && (fits || file.isAlternative || multicall.has(posix.basename(real)))
  if (content === "binary") return fits && isInstalled(real, standing.place.home, "in")
  if (content !== "script") return false
  // What pip and its like install: a few lines for the interpreter that lies beside them.
  return fits && isInstalled(real, standing.place.home, "in") && isEntryPoint(file, standing)
}

/** The npm package that a file belongs to. */
function nodePackageOf(path: string): string | undefined {
  return /^.*\/(?:node_modules|usr\/share\/nodejs)\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
}

/** Whether a file is in, or somewhere below, a folder that programs are installed into. */
function isInstalled(path: string, home: string, where: "in" | "below"): boolean {
  if (!path.split("/").includes("shims") && [...packaged, ...installed].some((folder) => folder.test(path))) return true
  if (!contains(home, path)) return false
  return where === "below" || installedAtHome.some((folder) => folder.test(posix.dirname(path).slice(home.length + 1)))
}

/** `python3.11` and `x86_64-linux-gnu-gcc-12` are the names without version and machine. */
function isNamed(name: string, file: string): boolean {
  const bare = file.replace(/^[\w]+-(?:[\w]+-)*(?:gnu|musl|darwin[\d.]*)-/, "")
  return [name, ...(own(otherNames, name) ?? [])].some(
    (each) =>
      file === each ||
      (bare.startsWith(each) &&
        /^(?:[-._]?\d[\d._-]*|\.(?:basic|tiny|nox|debianutils|procps|real))?$/.test(bare.slice(each.length))),
  )
}

function isEntryPoint({ path, real, text }: ProgramFile, { place }: CommandContext): boolean {
  const [, interpreter = ""] = /^#!(\/[\w.@/+-]+)\n/.exec(text) ?? []
  if (!/^(?:python|ruby)[\d.]*$/.test(posix.basename(interpreter))) return false
  const itself = place.program?.(interpreter, () => false).file?.real ?? interpreter
  const folders = [interpreter, itself].map((each) => posix.dirname(each))
  return [path, real].some((each) => folders.includes(posix.dirname(each)))
}

/** The program that runs a script; undefined when its first line is not plain. */
function interpreterOf({ text }: ProgramFile): string | undefined {
  const [, byName, byPath] =
    /^#![ \t]*(?:\/usr\/bin\/env[ \t]+(?:-S[ \t]+)?([A-Za-z][\w.+-]*)|(\/[\w.@/+-]+))(?:[ \t]+[^\n]*)?\n/.exec(text) ??
    []
  return byName ?? (byPath === "/usr/bin/env" ? undefined : byPath)
}

function own<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
