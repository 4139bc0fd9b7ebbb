/** What a tool takes: written with zod, or as a JSON Schema. */

import { z } from "zod"

/** The fields of an object, each a schema of zod. */
export type ZodShape = { readonly [field: string]: z.ZodType }
export type ZodInput<Shape extends ZodShape> = { -readonly [Field in keyof Shape]: z.output<Shape[Field]> }

type Fields = { readonly [field: string]: unknown }

export interface ToolInput {
  /** The JSON Schema of an object, as the model is shown it. */
  readonly schema: Fields
  /** The input as the tool gets it: with defaults and changes of zod. Throws for what does not fit. */
  readonly read: (input: Fields) => Fields
}

export function toolInput(name: string, written: Fields | z.ZodObject): ToolInput {
  const zod = zodObject(name, written)
  if (zod) {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(zod, { io: "input" })
    return { schema, read: (input) => zod.parse(input) }
  }
  const fields = written as Fields
  const schema =
    fields.type === "object"
      ? fields
      : { type: "object", properties: fields, required: Object.keys(fields), additionalProperties: false }
  // The session has held the input against the schema before the tool is called.
  return { schema, read: (input) => input }
}

function zodObject(name: string, written: object): z.ZodObject | undefined {
  if (isZod(written)) {
    if (written instanceof z.ZodObject) return written
    throw new Error(`The input of the tool ${name} must be an object: use z.object().`)
  }
  const fields = Object.values(written)
  if (fields.length === 0 || !fields.some(isZod)) {
    if (fields.some((field) => isObject(field) && "_def" in field))
      throw new Error(`The input of the tool ${name} is written with zod 3. Use zod 4, or a JSON Schema.`)
    return undefined
  }
  return z.object(written as ZodShape)
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isZod = (value: unknown): boolean => isObject(value) && "_zod" in value
