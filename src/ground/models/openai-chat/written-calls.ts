/** The notations in which models write calls as text, when their server does not take the calls out of it. */

import type { ToolSpec } from "#agent/words/model.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { readLenient } from "#lib/lenient-json.ts"

export interface WrittenCall {
  readonly name: string
  readonly json: string
}

type Read = (written: string, tools: readonly ToolSpec[]) => readonly WrittenCall[] | undefined

export interface Mark {
  readonly open: string
  /** Absent where the notation goes on to the end of the answer. */
  readonly close?: string
  /** Undefined unless all of it is calls of these tools. */
  readonly read: Read
}

/** `<function=Read><parameter=file_path>a.txt</parameter></function>`, or JSON in place of the parameters. */
const functionTag: Read = (written, tools) => {
  const found = /^\s*<function=([\w.-]+)>(.*)<\/function>\s*$/s.exec(written)
  return found
    ? withParameters(found[1], found[2] ?? "", /<parameter=([\w.-]+)>(.*?)<\/parameter>/gs, tools)
    : undefined
}

/** `<invoke name="Read"><parameter name="file_path">a.txt</parameter></invoke>` */
const invokeTags: Read = (written, tools) =>
  each(written, /<invoke name="([\w.-]+)">(.*?)<\/invoke>/gs, ([, name, inner = ""]) =>
    withParameters(name, inner, /<parameter name="([\w.-]+)">(.*?)<\/parameter>/gs, tools),
  )

/** A name, then keys and values in tags. */
const keysAndValues: Read = (written, tools) => {
  const found = /^\s*([\w.-]+)\s*(<arg_key>.*)?$/s.exec(written)
  const pair = /<arg_key>(.*?)<\/arg_key>\s*<arg_value>(.*?)<\/arg_value>/gs
  return found ? withParameters(found[1], found[2] ?? "", pair, tools) : undefined
}

const inJson: Read = (written, tools) => {
  const read = readLenient(written)
  if (!read.ok) return undefined
  const list: readonly JsonValue[] = Array.isArray(read.value) ? read.value : [read.value]
  const calls = list.map((value) => callIn(value, tools))
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}

const anyOf =
  (...reads: readonly Read[]): Read =>
  (written, tools) => {
    for (const read of reads) {
      const calls = read(written, tools)
      if (calls) return calls
    }
    return undefined
  }

/** `Read[ARGS]{…}`, one after the other. */
const namedArguments: Read = (written, tools) =>
  each(
    written,
    /(?:\[TOOL_CALLS\])?([\w.-]+)(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?(\{.*?\})\s*(?=$|\[TOOL_CALLS\])/gs,
    named(tools),
  )

const named =
  (tools: readonly ToolSpec[]) =>
  ([, name, json = ""]: RegExpExecArray): readonly WrittenCall[] | undefined => {
    const input = readLenient(json)
    return input.ok && isObject(input.value) ? called(name, input.value, tools) : undefined
  }

const sections: Read = (written, tools) =>
  each(
    written,
    /<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>/gs,
    named(tools),
  )

const withBars: Read = (written, tools) =>
  each(
    written,
    /<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)(?:<｜tool▁sep｜>|\s*(?=```))(.*?)<｜tool▁call▁end｜>/gs,
    named(tools),
  )

/** A mark that begins another comes after it. */
export const marks: readonly Mark[] = [
  { open: "<tool_call>", close: "</tool_call>", read: anyOf(inJson, functionTag, keysAndValues) },
  { open: "<function_call>", close: "</function_call>", read: inJson },
  { open: "<function_calls>", close: "</function_calls>", read: invokeTags },
  { open: "<|tool_call|>", close: "<|/tool_call|>", read: inJson },
  { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>", read: sections },
  { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>", read: withBars },
  { open: "[TOOL_REQUEST]", close: "[END_TOOL_REQUEST]", read: inJson },
  { open: "<|python_tag|>", read: inJson },
  { open: "[TOOL_CALLS]", read: anyOf(inJson, namedArguments) },
  {
    open: "<function=",
    close: "</function>",
    read: (written, tools) => functionTag(`<function=${written}</function>`, tools),
  },
]

const fenced = /^\s*```(?:json|tool_call|tool_code)?[ \t]*\n(.*)\n?```\s*$/s

/** An answer that is nothing but a call, in JSON. */
export function wholeCall(text: string, tools: readonly ToolSpec[]): readonly WrittenCall[] | undefined {
  return inJson(fenced.exec(text)?.[1] ?? text, tools)
}

/** How such an answer begins. */
const beginning = /^\s*(?:```(?:json|tool_call|tool_code)?[ \t]*\n\s*)?\[?\s*\{\s*"(?:name|type|function|id)"\s*:/
const longest = 120

/** Whether what came so far could become an answer that is nothing but a call. */
export function mayBeCall(text: string): boolean {
  if (beginning.test(text)) return true
  if (text.length > longest) return false
  // Compared without spaces, which may be anywhere.
  const bare = text.replace(/\s+/g, "")
  const fences = ["", "```", "```json", "```tool_call", "```tool_code"]
  const names = ["name", "type", "function", "id"]
  return fences.some((fence) =>
    ["", "["].some((list) => names.some((name) => `${fence}${list}{"${name}":`.startsWith(bare))),
  )
}

/** Some servers cut off the closing mark, because it ends the answer; JSON shows by itself that it is whole. */
export const readToEnd = (written: string, { close, read }: Mark, tools: readonly ToolSpec[]): ReturnType<Read> =>
  (close === undefined ? read : inJson)(written, tools)

/** A call that names a tool but cannot be read: it is answered with what is wrong, and never run. */
export function brokenCall(
  written: string,
  { close }: Mark,
  tools: readonly ToolSpec[],
): readonly WrittenCall[] | undefined {
  const json =
    close !== undefined && written.trimEnd().endsWith(close) ? written.slice(0, written.lastIndexOf(close)) : ""
  const name = /^\s*\[?\s*\{\s*"name"\s*:\s*"([\w.-]+)"/.exec(json)?.[1]
  return name !== undefined && isTool(name, tools) ? [{ name, json }] : undefined
}

const isTool = (name: string, tools: readonly ToolSpec[]): boolean => tools.some((tool) => tool.name === name)

/** Nothing but a name and its input, beside an id and a type. */
function callIn(value: JsonValue, tools: readonly ToolSpec[]): WrittenCall | undefined {
  if (!isObject(value)) return undefined
  const { function: inner, ...outer } = value
  const { id: _id, type: _type, name, ...input }: JsonObject = isObject(inner) ? { ...outer, ...inner } : value
  const [[key, written] = [], ...more] = Object.entries(input)
  if (more.length > 0 || (key !== "arguments" && key !== "parameters")) return undefined
  const read = typeof written === "string" ? readLenient(written) : undefined
  const json = read?.ok ? read.value : written
  return isObject(json) && typeof name === "string" ? called(name, json, tools)?.[0] : undefined
}

const called = (
  name: string | undefined,
  input: JsonObject,
  tools: readonly ToolSpec[],
): readonly WrittenCall[] | undefined =>
  name !== undefined && isTool(name, tools) ? [{ name, json: JSON.stringify(input) }] : undefined

/** Every match is read, and there is nothing between them. */
function each(
  written: string,
  pattern: RegExp,
  read: (found: RegExpExecArray) => readonly WrittenCall[] | undefined,
): readonly WrittenCall[] | undefined {
  const found = [...written.matchAll(pattern)]
  const calls = found.map(read)
  const between = written.replace(pattern, "")
  if (found.length === 0 || between.trim() !== "" || !calls.every((call) => call !== undefined)) return undefined
  return calls.flat()
}

/** Parameters in tags are strings, unless the tool takes something else there. */
function withParameters(
  name: string | undefined,
  inner: string,
  pattern: RegExp,
  tools: readonly ToolSpec[],
): readonly WrittenCall[] | undefined {
  const tool = tools.find((one) => one.name === name)
  if (!tool) return undefined
  const whole = inner.trim().startsWith("{") ? readLenient(inner) : undefined
  if (whole?.ok && isObject(whole.value)) return called(name, whole.value, tools)
  const input: { [key: string]: JsonValue } = {}
  for (const [, key = "", value = ""] of inner.matchAll(pattern)) {
    // A value may contain such tags itself; then it is not certain where it ends.
    if (Object.hasOwn(input, key) || !takes(tool, key)) return undefined
    input[key] = valueOf(value.replace(/^\n|\n$/g, ""), propertyOf(tool, key))
  }
  return inner.replace(pattern, "").trim() === "" ? called(name, input, tools) : undefined
}

const takes = ({ input_schema: { properties } }: ToolSpec, key: string): boolean =>
  !isObject(properties) || Object.hasOwn(properties, key)

function propertyOf({ input_schema: { properties } }: ToolSpec, key: string): JsonValue | undefined {
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
}

function valueOf(text: string, property: JsonValue | undefined): JsonValue {
  if (!isObject(property) || property.type === undefined || property.type === "string") return text
  const read = readLenient(text)
  return read.ok ? read.value : text
}
