/** The small profile, for models with little room: few tools in few words, a short system prompt, short additions. */

import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

interface ShortTool {
  readonly about: string
  /** The fields that are listed; the others still work. */
  readonly takes: readonly string[]
}

/** Our own tools that a small model is offered. */
const shortTools: { readonly [name: string]: ShortTool } = {
  Read: {
    about: "Shows a file with line numbers. For a part of a long file give offset and limit.",
    takes: ["file_path", "offset", "limit"],
  },
  Edit: {
    about:
      "Replaces text in a file that was read. old_string must be in the file exactly once, with its indentation, without line numbers.",
    takes: ["file_path", "old_string", "new_string", "replace_all"],
  },
  Write: { about: "Writes a whole file. Read it first if it exists.", takes: ["file_path", "content"] },
  Glob: { about: "Finds files by a pattern, such as src/**/*.ts.", takes: ["pattern", "path"] },
  Grep: {
    about: "Searches files for a regular expression: the files, or with output_mode content the lines.",
    takes: ["pattern", "path", "glob", "output_mode"],
  },
  Bash: {
    about:
      "Runs a command in bash and shows what it prints. Nothing can be typed in: use flags such as -y. Commit or push only when the user asks.",
    takes: ["command", "timeout"],
  },
  ExitPlanMode: { about: "Asks the user to approve the plan in the plan file, and ends plan mode.", takes: [] },
}

export const isShortTool = ({ name }: Pick<AnyTool, "name">): boolean => Object.hasOwn(shortTools, name)

/** The same tool in fewer words; tools of others stay as they are. */
export function shortSpec(spec: ToolSpec): ToolSpec {
  const short = Object.hasOwn(shortTools, spec.name) ? shortTools[spec.name] : undefined
  const { properties, ...schema } = spec.input_schema
  if (!short || !isObject(properties)) return spec
  const listed = Object.entries(properties).filter(([name]) => short.takes.includes(name))
  const fields = listed.map(([name, field]) => [name, isObject(field) ? withoutWords(field) : field] as const)
  return { ...spec, description: short.about, input_schema: { ...schema, properties: Object.fromEntries(fields) } }
}

const withoutWords = ({ description: _description, default: _default, ...field }: JsonObject): JsonObject => field

/** In characters: how much of the window one result or addition may take, an eighth. */
export const mostCharacters = (window: number): number => Math.floor(window / 2)

/** A kit whose tools are not offered has nothing to add; the others are brief. */
export const briefly = (
  kit: Kit,
  { window, isOffered }: { readonly window: number; readonly isOffered: (tool: AnyTool) => boolean },
): Kit => ({
  ...kit,
  attachments(signal) {
    if (kit.tools?.length && !kit.tools.some(isOffered)) return []
    const attachments = kit.attachments?.(signal) ?? []
    return attachments instanceof Promise ? attachments.then((all) => brief(all, window)) : brief(attachments, window)
  },
})

export const brief = (attachments: readonly Attachment[], window: number): readonly Attachment[] =>
  attachments.map((attachment) => {
    const { text } = attachment
    const most = mostCharacters(window)
    const note = `[cut: of ${text.length} characters, to leave room in the context window. Read the files in parts if you need more.]`
    return text.length <= most ? attachment : { ...attachment, text: headAndTail(text, text, most, note) }
  })
