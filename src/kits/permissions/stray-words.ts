/** Arguments by which an unknown program would touch what is outside the workspace, or protected in it. */

import { judgeUrl } from "#ground/web/addresses.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { namesOf, resolvedFrom } from "./paths.ts"
import { protection } from "./protected-paths.ts"

/** Whether one of the arguments after a rule's own leads where the rule was not meant to reach. */
export function hasStrayWord(
  segment: Segment,
  from: number,
  call: JudgedCall,
  isFree: (path: string) => boolean,
): boolean {
  const { argv, cwd, verdict } = segment
  // Known programs name their paths themselves.
  if (verdict !== "other") return false
  const name = programName(argv[0] ?? "")
  const words = withoutElsewhere(name, argv.slice(from))
  if (matchesOf(segment, from).some((path) => !isFree(resolvedFrom(cwd ?? call.cwd, path)))) return true
  return words.some((word) => {
    if (fetchers.has(name) && isForbiddenAddress(word)) return true
    if (containers.has(name) && !copiers.has(argv[1] ?? "")) return false
    return pathsIn(word).some((path) => {
      const full = resolvedFrom(cwd ?? call.cwd, path)
      if ((!path.startsWith("/") || leads(path, call)) && !isFree(full)) return true
      return name !== "git" && isKept(full, call)
    })
  })
}

/** What the patterns among the words find: a link may lead anywhere. */
const matchesOf = ({ inexact, expansions }: Segment, from: number): readonly string[] =>
  expansions.flatMap((each, i) => (each.kind === "words" && (inexact[i] ?? 0) >= from ? each.words : []))

/** Programs that reach any URL they are given. */
const fetchers: ReadonlySet<string> = new Set(["curl", "http", "https", "wget", "xh"])

/** Their arguments mostly name things in a container; the flags that reach the machine are in a separate table. */
const containers: ReadonlySet<string> = new Set(["docker", "docker-compose", "kubectl", "podman"])

/** Subcommands that use files of this machine. */
const copiers: ReadonlySet<string> = new Set(["build", "cp", "import", "load", "save"])

/** A message is text, wherever it seems to lead. */
function withoutElsewhere(name: string, words: readonly string[]): readonly string[] {
  const texts = name === "git" ? /^(?:-m|--message)$/ : name === "gh" ? /^(?:-b|-t|--body|--title)$/ : undefined
  return texts ? words.filter((_, i) => !texts.test(words[i - 1] ?? "")) : words
}

/** The paths that a word could contain: whole, after `=`, `@` or a colon, or attached to a short flag. */
function pathsIn(word: string): readonly string[] {
  const file = /^file:\/\/[^/]*(\/.*)$/i.exec(word)?.[1]
  if (file !== undefined) return [file]
  if (/^[A-Za-z][\w+.-]*:\/\//.test(word) || /[\n]/.test(word)) return []
  const found = [word.replace(/^@/, "")]
  const value = /^[\w.-]+[=@]@?(.+)$/s.exec(word)?.[1]
  if (value !== undefined) found.push(value.replace(/^@/, ""), value.replace(/^@|;.*$/gs, ""))
  const attached = /^-[A-Za-z]+((?:\/|\.\.?\/|\.[A-Za-z]).*)$/s.exec(word)?.[1]
  if (attached !== undefined) found.push(attached)
  return found.filter((path) => path !== "" && !path.startsWith("-"))
}

/** Whether an absolute path begins in an existing folder: `/api/items` does not. */
function leads(path: string, call: JudgedCall): boolean {
  if (path.startsWith("/dev/")) return !/^\/dev\/(?:null|stdout|stderr)$/.test(path)
  const [first] = namesOf(path)
  return first === undefined || first === ".." || call.isFolder(`/${first}`)
}

/** Protected, apart from what programs are meant to read. */
function isKept(path: string, { workspace, forms }: JudgedCall): boolean {
  const found = protection(path, workspace, forms)
  return found !== undefined && !found.isInput
}

/** Cloud metadata addresses with a machine's credentials; other local addresses are everyday work. */
function isForbiddenAddress(word: string): boolean {
  if (word.startsWith("-")) return false
  const judged = judgeUrl(/^https?:\/\//i.test(word) ? word : `http://${word}`, () => false)
  return (
    !judged.ok &&
    judged.failure.kind === "special" &&
    ["metadata", "link-local", "ipv4-in-ipv6"].includes(judged.failure.range)
  )
}
