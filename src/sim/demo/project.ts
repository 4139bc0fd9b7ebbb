/** Finding the way around a repository: its files, their contents, how to run the tests. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { act, known, missing, outcomeOf, stopAt, toMove, wasCarriedOut, type DemoCall, type DemoStep } from "./move.ts"
import type { Done, Story } from "./story.ts"

export interface SourceFile {
  readonly path: string
  readonly lines: readonly string[]
}

const globs: readonly DemoCall[] = [
  { tool: "Glob", input: { pattern: "*" } },
  { tool: "Glob", input: { pattern: "**/*" } },
]
const listing: DemoCall = { tool: "LS", input: { path: "." } }

/** As far as the tools show them. */
export function listFiles(story: Story, say: string): DemoStep<readonly string[]> {
  const calls = story.offers("Glob") ? globs : [listing]
  const made = calls.map((call) => outcomeOf(story, call))
  const refused = made.find((done) => done?.failed)
  if (refused) return toMove(stopAt(refused))
  if (made.every((done) => done !== undefined))
    return known([
      ...new Set(made.flatMap((done) => (done.tool === "LS" ? pathsInTree(done.result) : pathsIn(done.result)))),
    ])
  if (!story.offers("Glob") && !story.offers("LS")) return toMove(missing("Glob or LS", "look around"))
  return toMove(act(say, ...calls))
}

/** Files that cannot be read come back without lines. */
export function readFiles(story: Story, paths: readonly string[], say: string): DemoStep<readonly SourceFile[]> {
  const calls = paths.map((path): DemoCall => ({ tool: "Read", input: { file_path: path } }))
  const unread = calls.filter((call) => outcomeOf(story, call) === undefined)
  if (unread.length === 0) return known(paths.map((path) => ({ path, lines: linesOf(story, path) })))
  if (!story.offers("Read")) return toMove(missing("Read", "read files"))
  return toMove(act(say, ...unread))
}

export function findTestCommand(story: Story, files: readonly string[]): DemoStep<string> {
  const manifest = shallowest(files, "package.json")
  if (manifest !== undefined) {
    const read = readFiles(story, [manifest], "`package.json` should say how the tests are run.")
    if (read.kind === "move") return read
    const script = parseManifest(read.value[0]?.lines ?? []).scripts
    if (isObject(script) && typeof script.test === "string") return known(`${packageRunner(files)} test`)
  }
  const other = otherRunners.find(([file]) => shallowest(files, file) !== undefined)
  if (other !== undefined) return known(other[1])
  return toMove(
    act("I found no test command: there is no `test` script in a package.json and no other project file I know."),
  )
}

/** Runs a command once and returns its result. */
export function runOnce(story: Story, command: string, say: string): DemoStep<Done> {
  const call: DemoCall = { tool: "Bash", input: { command, description: "Run the tests" } }
  const done = outcomeOf(story, call)
  if (done) return wasCarriedOut(done) ? known(done) : toMove(stopAt(done))
  return toMove(story.offers("Bash") ? act(say, call) : missing("Bash", "run the tests"))
}

/** The file of that name that is nearest to the root. */
export function shallowest(files: readonly string[], name: string): string | undefined {
  return files
    .filter((path) => baseOf(path).toLowerCase() === name.toLowerCase())
    .toSorted((a, b) => a.split("/").length - b.split("/").length)[0]
}

export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Empty if it does not parse. */
export function parseManifest(lines: readonly string[]): JsonObject {
  try {
    const value: unknown = JSON.parse(lines.join("\n"))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The empty string if it is not one. */
export const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")

const otherRunners: readonly (readonly [file: string, command: string])[] = [
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python -m pytest"],
  ["pytest.ini", "python -m pytest"],
  ["Makefile", "make test"],
]

function packageRunner(files: readonly string[]): string {
  if (shallowest(files, "pnpm-lock.yaml")) return "pnpm"
  if (shallowest(files, "yarn.lock")) return "yarn"
  return shallowest(files, "bun.lock") ? "bun run" : "npm"
}

/** One path per line; anything in brackets is a note. */
const pathsIn = (result: string): readonly string[] =>
  result
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[([]|^No files/.test(line))

function pathsInTree(result: string): readonly string[] {
  const folders: string[] = []
  return result.split("\n").flatMap((line) => {
    const entry = /^(\s*)[-├└│─\s]*(\S.*?)\s*$/.exec(line)
    const name = entry?.[2] ?? ""
    if (entry === null || /^[([/]/.test(name)) return []
    const depth = Math.floor((entry[1] ?? "").length / 2)
    folders.length = Math.min(folders.length, depth)
    if (!name.endsWith("/")) return [[...folders, name].join("/")]
    folders.push(name.slice(0, -1))
    return []
  })
}

/** The lines of a file as last shown: an unchanged file is not shown again. */
function linesOf(story: Story, path: string): readonly string[] {
  const shown = story.everDone
    .filter(({ tool, input, failed }) => tool === "Read" && input.file_path === path && !failed)
    .map(({ result }) => numberedLines(result))
    .findLast((lines) => lines.length > 0)
  return shown ?? []
}

function numberedLines(result: string): readonly string[] {
  return result.split("\n").flatMap((line) => {
    const numbered = /^\s*\d+[\t→](.*)$/.exec(line)
    return numbered === null ? [] : [numbered[1] ?? ""]
  })
}
