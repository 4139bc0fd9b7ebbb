/** Makes several edits, in one file or several, all or none. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { writes } from "#agent/words/footprint.ts"
import { answered, complained, type Complaint, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import type { Place } from "#ground/workspace/places.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { fileComplaint } from "./complaint.ts"
import { showHunks } from "./changed-lines.ts"
import { counted } from "./counted.ts"
import {
  type Draft,
  drawn,
  editDraft,
  type EditGround,
  encodeDraft,
  openDraft,
  type ReadyDraft,
  type TextEdit,
} from "./edit-plan.ts"
import { planEdit } from "./match.ts"
import { patchData } from "./patch.ts"
import { shownPath } from "./shown-path.ts"
import { writeAll, type WriteAllFailure } from "./write-all.ts"

export interface MultiEditInput {
  /** For all edits that name no file. */
  readonly file_path?: string | undefined
  readonly edits: (TextEdit & { readonly file_path?: string | undefined })[]
}

const input = shape.object({
  file_path: shape.string().optional().describe("The file, when all edits are in one"),
  edits: shape
    .array(
      shape.object({
        file_path: shape.string().optional(),
        old_string: shape.string(),
        new_string: shape.string(),
        replace_all: shape.boolean().default(false),
      }),
    )
    .min(1, "needs at least one edit"),
})

export const multiEditTool = (ground: EditGround): Tool<MultiEditInput> =>
  defineTool({
    name: "MultiEdit",
    description,
    input,
    title: (call) => `MultiEdit ${filesIn(ground, call)}`,
    footprint: (call) => writes(...new Set(call.edits.flatMap((edit) => declared(ground, call, edit)))),
    // Everything is tried before anyone is asked: users should not have to judge a call that cannot succeed.
    async validate(call, signal) {
      const plan = await prepare(ground, call, signal)
      return plan.ok ? undefined : plan.failure
    },
    async preview(call, signal) {
      const plan = await prepare(ground, call, signal)
      return plan.ok ? display(await Promise.all(plan.value.drafts.map(drawn))) : undefined
    },
    async run(call, { signal }) {
      const plan = await prepare(ground, call, signal)
      return plan.ok ? carryOut(ground, plan.value, signal) : complained(plan.failure)
    },
  })

const description = `Makes several edits at once, in one file or several: all of them, or none if one cannot be made. Each is as with Edit and starts from what the edits before it left. Use it for changes that belong together. Read the files first.`

type Edit = MultiEditInput["edits"][number]

function declared({ places }: EditGround, call: MultiEditInput, edit: Edit): readonly string[] {
  const path = edit.file_path ?? call.file_path
  return path === undefined ? [] : [places.declare(call, path)]
}

function filesIn({ paths }: EditGround, { edits, file_path }: MultiEditInput): string {
  const names = edits.flatMap((edit) => edit.file_path ?? file_path ?? [])
  const [first = "", ...rest] = new Set(names.map((name) => shownPath(paths, name)))
  if (rest.length > 0) return `${first} and ${rest.length} more`
  return edits.length > 1 ? `${first} (${edits.length} edits)` : first
}

interface Plan {
  readonly drafts: readonly ReadyDraft[]
  /** By real path. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>
  /** Edits that matched only when quotes and trailing spaces were ignored, counted from 1. */
  readonly tolerant: readonly number[]
}

async function prepare(
  ground: EditGround,
  call: MultiEditInput,
  signal: AbortSignal,
): Promise<Result<Plan, Complaint>> {
  const places = placesOf(ground, call)
  if (!places.ok) return places
  const opened = await openDrafts(ground, places.value, signal)
  if (!opened.ok) return opened
  const drafts = opened.value
  const edits = new Map<string, TextEdit[]>()
  const tolerant: number[] = []
  for (const [index, edit] of call.edits.entries()) {
    const draft = drafts.get(places.value[index]?.real ?? "")
    if (draft === undefined) continue
    const edited = editDraft(ground, draft, edit)
    if (!edited.ok) {
      const { message, shown } = edited.failure
      return failed(notMade(call, index, { message: message + overtaken(draft, edit), shown }))
    }
    if (edited.value.how === "tolerant") tolerant.push(index + 1)
    drafts.set(draft.place.real, edited.value.draft)
    edits.set(draft.place.real, [...(edits.get(draft.place.real) ?? []), edit])
  }
  const changed = [...drafts.values()].filter(({ before, after }) => before !== after)
  if (changed.length === 0)
    return failed({ message: "The edits undo each other: nothing would change.", shown: "The edits change nothing" })
  const ready: ReadyDraft[] = []
  for (const draft of changed) {
    const encoded = encodeDraft(draft)
    if (!encoded.ok) return encoded
    ready.push(encoded.value)
  }
  return ok({ drafts: ready, edits, tolerant })
}

function placesOf(ground: EditGround, call: MultiEditInput): Result<readonly Place[], Complaint> {
  const places: Place[] = []
  for (const [index, edit] of call.edits.entries()) {
    const path = edit.file_path ?? call.file_path
    if (path === undefined)
      return failed(
        notMade(call, index, {
          message: "It names no file. Give file_path in it, or once beside edits.",
          shown: "An edit names no file",
        }),
      )
    const place = ground.places.of(call, path)
    if (!place.ok) return failed(notMade(call, index, fileComplaint(place.failure)))
    places.push(place.value)
  }
  return ok(places)
}

/** Every file once, however many names it has; all problems are reported together. */
async function openDrafts(
  ground: EditGround,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<Result<Map<string, Draft>, Complaint>> {
  const drafts = new Map<string, Draft>()
  const problems = new Map<string, Complaint>()
  for (const place of places) {
    if (drafts.has(place.real) || problems.has(place.real)) continue
    const draft = await openDraft(ground, place, signal)
    if (draft.ok) drafts.set(place.real, draft.value)
    else problems.set(place.real, draft.failure)
  }
  if (problems.size === 0) return ok(drafts)
  const all = [...problems.values()]
  const first = all[0]?.shown ?? ""
  return failed({
    message: all.map(({ message }) => message).join("\n"),
    shown: all.length > 1 ? `${counted(all.length, "file")} cannot be edited. ${first}` : first,
  })
}

function notMade({ edits }: MultiEditInput, index: number, { message, shown }: Complaint): Complaint {
  if (edits.length === 1) return { message, shown }
  const place = `${index + 1} of ${edits.length}`
  return { message: `Edit ${place} cannot be made, so none was. ${message}`, shown: `No edit made; ${place}: ${shown}` }
}

/** The most common mistake with several edits: one removes the text that another is about. */
function overtaken({ before, after }: Draft, { old_string: from, new_string: to }: TextEdit): string {
  if (before === after || from === "" || planEdit(before, { from, to, which: "all" }).kind !== "edit") return ""
  if (planEdit(after, { from, to, which: "all" }).kind === "edit") return ""
  return "\nIt was there before the edits above it: one of them changed that text."
}

async function carryOut(ground: EditGround, plan: Plan, signal: AbortSignal): Promise<Outcome> {
  const written = await writeAll(ground, plan.drafts, signal)
  if (!written.ok) return refused(sayFailure(written.failure))
  const shown = await Promise.all(plan.drafts.map((draft) => showDraft(draft, plan.edits.get(draft.place.real) ?? [])))
  const count = [...plan.edits.values()].reduce((sum, edits) => sum + edits.length, 0)
  const head = `Made ${counted(count, "edit")} in ${counted(shown.length, "file")}.`
  const note =
    plan.tolerant.length === 0
      ? []
      : [`The match differed only in quotes or spaces at line ends in: edit ${plan.tolerant.join(", ")}.`]
  return answered([head, ...note, ...bounded(shown)].join("\n"), {
    ...optional("display", display(shown.map(({ diff }) => diff))),
    data: { files: shown.map(({ data }) => data) },
  })
}

function display(diffs: readonly FileDiff[]): Display | undefined {
  const files = diffs.map(({ path, hunks, created }) => ({ path, hunks, created }))
  const [only, ...others] = files
  if (!only) return undefined
  return others.length === 0 ? { kind: "diff", ...only } : { kind: "diffs", files }
}

interface ShownDraft {
  readonly head: string
  readonly body: string
  readonly diff: FileDiff
  readonly data: JsonObject
}

async function showDraft(draft: ReadyDraft, edits: readonly TextEdit[]): Promise<ShownDraft> {
  const { before, after } = draft
  const { path, hunks, created } = await drawn(draft)
  return {
    head: `${created ? "Created" : "Edited"} ${path}`,
    body: showHunks(after, hunks),
    diff: { path, hunks, created },
    data: {
      filePath: path,
      edits: edits.map(({ old_string, new_string, replace_all }) => ({
        oldString: old_string,
        newString: new_string,
        replaceAll: replace_all,
      })),
      ...patchData(hunks, created ? null : before),
    },
  }
}

const mostCharacters = 20_000

/** The first files in full; for the rest only that they changed. */
function bounded(shown: readonly ShownDraft[]): readonly string[] {
  let room = mostCharacters
  return shown.map(({ head, body }) => {
    room -= body.length
    return room >= 0 ? `${head}:\n${body}` : `${head}.`
  })
}

function sayFailure({ why, restored, left }: WriteAllFailure): string {
  const back = restored.length === 0 ? "" : ` Put back as before: ${restored.join(", ")}.`
  if (left.length === 0) return `${say(why)}\nNo file was changed.${back}`
  const lost = left.map((failure) => `\nNot put back, and changed by this call: ${say(failure)}`)
  return `${say(why)}${back}${lost.join("")}\nRead those files before anything else.`
}
