/** Replaces a piece of text in a file. */

import { z } from "zod"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import type { Identity } from "#ground/workspace/identity.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import { plainShape, type TextShape } from "#ground/workspace/text.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { closestPassage } from "./closest.ts"
import { currentFile, type FileGround, writeText } from "./current-file.ts"
import { type MatchKind, planEdit, type Region } from "./match.ts"
import { linesOf, numbered } from "./numbered.ts"
import { hunksOf, patchData } from "./patch.ts"
import { shownPath } from "./shown-path.ts"

export interface EditGround extends FileGround {
  readonly paths: Paths
  readonly places: Places
}

export interface EditInput {
  readonly file_path: string
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

const input = z.object({
  file_path: z.string().describe("Path of the file"),
  old_string: z.string().describe("The text to replace, exactly as it is in the file, without line numbers"),
  new_string: z.string().describe("The text to put in its place"),
  replace_all: z.boolean().default(false).describe("Replace every occurrence"),
})

export const editTool = (ground: EditGround): Tool<EditInput> =>
  defineTool({
    name: "Edit",
    description,
    input,
    title: ({ file_path }) => `Edit ${shownPath(ground.paths, file_path)}`,
    footprint: (call) => writes(ground.places.declare(call, call.file_path)),
    // The whole edit is tried before anyone is asked: a person should not have to judge a call that cannot succeed.
    async validate(call, signal) {
      const place = ground.places.of(call, call.file_path)
      if (!place.ok) return say(place.failure)
      const edited = await prepare(ground, place.value, call, signal)
      return edited.ok ? undefined : edited.failure
    },
    async run(call, { signal }) {
      const place = ground.places.of(call, call.file_path)
      if (!place.ok) return refused(say(place.failure))
      const prepared = await prepare(ground, place.value, call, signal)
      if (!prepared.ok) return refused(prepared.failure)
      return carryOut(ground, place.value, call, prepared.value, signal)
    },
  })

const description = `Replaces text in a file. Read the file first.
- old_string must be in the file exactly once, with its indentation but without the line numbers that Read shows. Add surrounding lines to make it unique, or set replace_all to change every occurrence (to rename, for instance).
- An empty old_string makes a new file, or fills an empty one, with new_string.
- Change what was asked for and nothing else. Introduce no security holes.`

interface Prepared {
  readonly before: string
  readonly after: string
  readonly shape: TextShape
  readonly over: Identity | "nothing"
  readonly regions: readonly Region[]
  readonly how: MatchKind
}

/** The edit as it would be, or the sentence that says why it cannot be. */
async function prepare(
  ground: EditGround,
  { path, real }: Place,
  { old_string: from, new_string: to, replace_all }: EditInput,
  signal: AbortSignal,
): Promise<Result<Prepared, string>> {
  if (from === to) return failed("old_string and new_string are the same, so nothing would change.")
  const file = await currentFile(ground, real, signal)
  if (!file.ok) return failed(say(file.failure))
  const isNew = file.value === "absent"
  const { text: before, ...rest } =
    file.value === "absent" ? { ...plainShape, text: "", identity: "nothing" as const } : file.value
  const base = { before, shape: rest, over: rest.identity }
  if (from === "") {
    if (before !== "") return failed(`${path} is not empty. Give the text to replace as old_string, or use Write.`)
    return ok({ ...base, after: to, regions: [{ start: 0, end: to.length }], how: "exact" })
  }
  if (isNew) return failed(missing(ground, real))
  const plan = planEdit(before, { from, to, which: replace_all ? "all" : "only" })
  switch (plan.kind) {
    case "none":
      return failed(notFound(path, before, from, to))
    case "many":
      return failed(
        `old_string occurs ${plan.offsets.length} times in ${path} (lines ${lineNumbers(before, plan.offsets)}). ` +
          `Give more of its surroundings, or set replace_all to change them all.`,
      )
    case "edit":
      if (plan.text === before) return failed("The edit would change nothing: only line ends or blanks differ.")
      return ok({ ...base, after: plan.text, regions: plan.regions, how: plan.how })
  }
}

async function carryOut(
  ground: EditGround,
  { path, real }: Place,
  call: EditInput,
  { before, after, shape, over, regions, how }: Prepared,
  signal: AbortSignal,
): Promise<Outcome> {
  const written = await writeText(ground, { real, text: after, shape, over }, signal)
  if (!written.ok) return refused(say(written.failure))
  const hunks = await hunksOf(before, after)
  const isNew = over === "nothing"
  const note = how === "tolerant" ? " The match differed only in quotes or blanks at line ends." : ""
  const head = isNew
    ? `Created ${path}.`
    : `Edited ${path}${regions.length > 1 ? ` in ${regions.length} places` : ""}.${note}`
  return answered(`${head}\n${showRegions(after, regions)}`, {
    display: { kind: "diff", path, hunks, created: isNew },
    data: {
      filePath: path,
      oldString: call.old_string,
      newString: call.new_string,
      ...patchData(hunks, isNew ? null : before),
      replaceAll: call.replace_all,
    },
  })
}

/** Names near a missing file are looked for only here, where the call is known to be about an existing file. */
function missing({ files }: EditGround, real: string): string {
  const state = files.look(real)
  return state.ok ? `${real} has just appeared. Read it first.` : say(state.failure)
}

function notFound(path: string, text: string, from: string, to: string): string {
  const lines = linesOf(text)
  const passage = closestPassage(lines, linesOf(from))
  if (to !== "" && text.includes(to))
    return `old_string is not in ${path}, but new_string is: the edit seems to be made already. Read the file to make sure.`
  if (passage === undefined)
    return `old_string is not in ${path}, nor is anything like it. Read the file again and copy the text exactly.`
  return `old_string is not in ${path}. The closest passage is:\n${numbered(passage.lines, passage.first)}\nCopy the text exactly as it is there, without the line numbers.`
}

const mostRegions = 3
const around = 3
const longestRegion = 60

/** The lines that were changed, as they are now, with a few around them. */
function showRegions(text: string, regions: readonly Region[]): string {
  const lines = linesOf(text)
  const shown = regions.slice(0, mostRegions).map(({ start, end }) => {
    const first = Math.max(1, lineAt(text, start) - around)
    const last = Math.min(lines.length, lineAt(text, Math.max(start, end - 1)) + around)
    if (last - first < longestRegion) return numbered(lines.slice(first - 1, last), first)
    return `${numbered(lines.slice(first - 1, first - 1 + longestRegion), first)}\n…`
  })
  const rest = regions.length - shown.length
  return [...shown, ...(rest > 0 ? [`… and ${rest} more places`] : [])].join("\n…\n")
}

function lineNumbers(text: string, offsets: readonly number[]): string {
  const shown = offsets.slice(0, 10).map((offset) => lineAt(text, offset))
  return `${shown.join(", ")}${offsets.length > shown.length ? ", …" : ""}`
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}
