/** Stands in for a tool of an earlier run whose server is gone: a call to it is answered, not run. */

import { touchesNothing } from "#agent/words/footprint.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import { refused, type Tool } from "#agent/words/tool.ts"
import { serverOf } from "./late-words.ts"

export const absentTool = ({ name, description, input_schema }: ToolSpec): Tool<unknown> => ({
  name,
  description,
  schema: input_schema,
  parse: (value) => ({ ok: true, value }),
  title: () => name,
  footprint: () => touchesNothing(),
  run: async () =>
    refused(
      `${name} was not run: the MCP server ${serverOf(name)} is not connected now. You will be told when it is; continue without it, or say what is missing.`,
    ),
  maxResultChars: 1_000,
})
