/** Replaces a piece of text in a file. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import { answered, complained, type Complaint, type Outcome, type Tool } from "#agent/words/tool.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { showRegions } from "./changed-lines.ts"
import {
  drawn,
  editDraft,
  type EditedDraft,
  type EditGround,
  encodeDraft,
  openDraft,
  type ReadyDraft,
  type TextEdit,
} from "./edit-plan.ts"
import { patchData } from "./patch.ts"
import { shownPath } from "./shown-path.ts"
import { writeAll } from "./write-all.ts"

export interface EditInput extends TextEdit {
  readonly file_path: string
}

const input = shape.object({
  file_path: shape.string().describe("Path of the file"),
  old_string: shape.string().describe("The text to replace, exactly as it is in the file, without line numbers"),
  new_string: shape.string().describe("The text to put in its place"),
  replace_all: shape.boolean().default(false).describe("Replace every occurrence"),
})

export const editTool = (ground: EditGround): Tool<EditInput> =>
  defineTool({
    name: "Edit",
    description,
    input,
    title: ({ file_path }) => `Edit ${shownPath(ground.paths, file_path)}`,
    footprint: (call) => writes(ground.places.declare(call, call.file_path)),
    // The whole edit is tried before anyone is asked: users should not have to judge a call that cannot succeed.
    async validate(call, signal) {
      const edited = await prepare(ground, call, signal)
      return edited.ok ? undefined : edited.failure
    },
    async preview(call, signal) {
      const prepared = await prepare(ground, call, signal)
      return prepared.ok ? drawn(prepared.value.draft) : undefined
    },
    async run(call, { signal }) {
      const prepared = await prepare(ground, call, signal)
      return prepared.ok ? carryOut(ground, call, prepared.value, signal) : complained(prepared.failure)
    },
  })

const description = `Replaces text in a file. Read the file first.
- old_string must be in the file exactly once, with its indentation but without the line numbers that Read shows. Add surrounding lines to make it unique, or set replace_all to change every occurrence (to rename, for instance).
- An empty old_string makes a new file, or fills an empty one, with new_string.
- Change what was asked for and nothing else. Introduce no security holes.`

interface PreparedEdit extends EditedDraft {
  readonly draft: ReadyDraft
}

async function prepare(
  ground: EditGround,
  call: EditInput,
  signal: AbortSignal,
): Promise<Result<PreparedEdit, Complaint>> {
  const place = ground.places.of(call, call.file_path)
  if (!place.ok) return failed(fileComplaint(place.failure))
  const draft = await openDraft(ground, place.value, signal)
  if (!draft.ok) return draft
  const edited = editDraft(ground, draft.value, call)
  if (!edited.ok) return edited
  const ready = encodeDraft(edited.value.draft)
  return ready.ok ? ok({ ...edited.value, draft: ready.value }) : ready
}

async function carryOut(
  ground: EditGround,
  call: EditInput,
  { draft, regions, how }: PreparedEdit,
  signal: AbortSignal,
): Promise<Outcome> {
  const { before, after } = draft
  const { path } = draft.place
  const written = await writeAll(ground, [draft], signal)
  if (!written.ok) return refusedFile(written.failure.why)
  const display = await drawn(draft)
  const { hunks, created: isNew } = display
  const note = how === "tolerant" ? " The match differed only in quotes or spaces at line ends." : ""
  const head = isNew
    ? `Created ${path}.`
    : `Edited ${path}${regions.length > 1 ? ` in ${regions.length} places` : ""}.${note}`
  return answered(`${head}\n${showRegions(after, regions)}`, {
    display,
    data: {
      filePath: path,
      oldString: call.old_string,
      newString: call.new_string,
      ...patchData(hunks, isNew ? null : before),
      replaceAll: call.replace_all,
    },
  })
}
