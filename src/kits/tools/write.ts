/** Writes a whole file, new or instead of one that was read. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import { answered, type Outcome, type Tool } from "#agent/words/tool.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import { endsAllInCrlf, plainShape, withLf } from "#ground/workspace/text.ts"
import { hunksOf } from "#lib/diff.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { counted } from "./counted.ts"
import { type CurrentFile, currentFile, type FileGround, writeText } from "./current-file.ts"
import { linesOf } from "./numbered.ts"
import { patchData } from "./patch.ts"
import { shownPath } from "./shown-path.ts"

export interface WriteGround extends FileGround {
  readonly paths: Paths
  readonly places: Places
}

export interface WriteInput {
  readonly file_path: string
  readonly content: string
}

const input = shape.object({
  file_path: shape.string().describe("Path of the file"),
  content: shape.string().describe("The whole new content"),
})

export const writeTool = (ground: WriteGround): Tool<WriteInput> =>
  defineTool({
    name: "Write",
    description,
    input,
    title: ({ file_path }) => `Write ${shownPath(ground.paths, file_path)}`,
    footprint: (call) => writes(ground.places.declare(call, call.file_path)),
    // Checked before anyone is asked: users should not have to judge a call that cannot succeed.
    async validate(call, signal) {
      const place = ground.places.of(call, call.file_path)
      if (!place.ok) return fileComplaint(place.failure)
      const file = await currentFile(ground, place.value.real, signal)
      return file.ok ? undefined : fileComplaint(file.failure)
    },
    async preview(call, signal) {
      const place = ground.places.of(call, call.file_path)
      const file = place.ok ? await currentFile(ground, place.value.real, signal) : place
      if (!place.ok || !file.ok) return undefined
      const { before, text, isNew } = replacement(file.value, call.content)
      return { kind: "diff", path: place.value.path, hunks: await hunksOf(before, text), created: isNew }
    },
    async run(call, { signal }) {
      const place = ground.places.of(call, call.file_path)
      if (!place.ok) return refusedFile(place.failure)
      const file = await currentFile(ground, place.value.real, signal)
      if (!file.ok) return refusedFile(file.failure)
      return put(ground, place.value, file.value, call.content, signal)
    },
  })

const description = `Writes a whole file, and the folders it needs.
- A file that exists must be read first; to change part of one, use Edit.
- Prefer editing what is there to adding files. Write documentation files only when asked.`

async function put(
  ground: WriteGround,
  { path, real }: Place,
  file: CurrentFile | "absent",
  content: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { before, text, isNew, keepsCrlf } = replacement(file, content)
  const [form, over] = file === "absent" ? [plainShape, "nothing" as const] : [file, file.identity]
  const written = await writeText(ground, { real, text, shape: form, over }, signal)
  if (!written.ok) return refusedFile(written.failure)
  const hunks = await hunksOf(before, text)
  const lines = counted(linesOf(text).length, "line")
  return answered(
    isNew
      ? `Created ${path} (${lines}).`
      : `Wrote ${path} (${lines})${keepsCrlf ? ", keeping its CRLF line ends" : ""}.`,
    {
      display: { kind: "diff", path, hunks, created: isNew },
      data: {
        type: isNew ? "create" : "update",
        filePath: path,
        content,
        ...patchData(isNew ? [] : hunks, isNew ? null : before),
      },
    },
  )
}

interface Replacement {
  readonly before: string
  readonly text: string
  readonly isNew: boolean
  readonly keepsCrlf: boolean
}

function replacement(file: CurrentFile | "absent", content: string): Replacement {
  const isNew = file === "absent"
  const before = isNew ? "" : file.text
  // The model sees files without carriage returns and cannot know of them, so they are kept.
  const keepsCrlf = endsAllInCrlf(before) && !content.includes("\r\n")
  return { before, text: keepsCrlf ? withLf(content).replaceAll("\n", "\r\n") : content, isNew, keepsCrlf }
}
