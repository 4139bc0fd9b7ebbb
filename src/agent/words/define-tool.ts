/** Makes a tool from the shape of its input: one declaration gives the model's JSON Schema, the parser and the input type. */

import type { Readable } from "#lib/shape.ts"
import type { Tool } from "./tool.ts"

const defaultMaxResultChars = 100_000

export interface ToolDefinition<Input> extends Omit<Tool<Input>, "schema" | "parse" | "maxResultChars"> {
  readonly input: Readable<Input>
  readonly maxResultChars?: number
}

export function defineTool<Input>({ input, ...rest }: ToolDefinition<Input>): Tool<Input> {
  return {
    maxResultChars: defaultMaxResultChars,
    ...rest,
    schema: input.json,
    parse(value) {
      const read = input.read(value, "")
      return read.ok ? read : { ok: false, message: read.complaints.join(" ") }
    },
  }
}
