/** Decodes what servers send piece by piece: one malformed piece is left out, the others stay. */

import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import type {
  McpAnnotations,
  McpCallResult,
  McpOffer,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpToolDefinition,
} from "./connection.ts"
import { isAddress, skillIn } from "./skills.ts"

export const lists: {
  readonly [K in keyof McpOffer]: {
    readonly method: string
    readonly field: string
    readonly read: (value: JsonObject) => McpOffer[K][number] | undefined
  }
} = {
  tools: { method: "tools/list", field: "tools", read: toolIn },
  prompts: { method: "prompts/list", field: "prompts", read: promptIn },
  resources: { method: "resources/list", field: "resources", read: resourceIn },
  templates: { method: "resources/templates/list", field: "resourceTemplates", read: templateIn },
  skills: { method: "skills/list", field: "skills", read: skillIn },
}

/** No server has a use for more. */
const mostMembers = 2_000
const mostCharacters = 8_000_000
const mostInOne = 256_000
/** More are of no use to anyone. */
const mostBlocks = 10_000
const longestHint = 500

/** Collects the members of a list page by page: only valid ones, each name once, and bounded. */
export function gatherMembers<K extends keyof McpOffer>(
  what: K,
): {
  /** Returns whether there is room for more. */
  readonly add: (page: JsonObject) => boolean
  readonly members: () => readonly McpOffer[K][number][]
} {
  const { field, read } = lists[what]
  const found = new Map<string, McpOffer[K][number]>()
  let characters = 0
  return {
    add(page) {
      const listed = page[field]
      for (const member of Array.isArray(listed) ? listed : []) {
        if (found.size >= mostMembers || characters >= mostCharacters) return false
        const one = isObject(member) ? read(member) : undefined
        const size = one ? JSON.stringify(one).length : 0
        const key = one && keyOf(one)
        if (!one || key === undefined || found.has(key) || size > mostInOne) continue
        characters += size
        found.set(key, one)
      }
      return true
    },
    members: () => [...found.values()],
  }
}

const keyOf = (one: McpOffer[keyof McpOffer][number]): string =>
  "uri" in one ? one.uri : "uriTemplate" in one ? one.uriTemplate : one.name

export function callResultIn(value: JsonObject): McpCallResult {
  const content: readonly JsonValue[] = Array.isArray(value.content) ? value.content : []
  const more = content.length - mostBlocks
  return {
    content: more > 0 ? [...content.slice(0, mostBlocks), leftOut(more)] : content,
    ...optional("structuredContent", value.structuredContent),
    isError: value.isError === true,
  }
}

const leftOut = (count: number): JsonObject => ({
  type: "text",
  text: `[The server answered with ${count} blocks more, which are left out.]`,
})

function toolIn(value: JsonObject): McpToolDefinition | undefined {
  const { name, inputSchema, _meta } = value
  if (typeof name !== "string" || name === "") return undefined
  return {
    name,
    ...words(value),
    inputSchema: isObject(inputSchema) ? inputSchema : { type: "object" },
    ...optional("annotations", isObject(value.annotations) ? annotationsIn(value.annotations) : undefined),
    ...(isObject(_meta) && wishesIn(_meta)),
  }
}

/** How programs that bring servers along say which tools are listed, and what they are found by. */
function wishesIn(meta: JsonObject): Pick<McpToolDefinition, "searchHint" | "listed"> {
  const listed = meta["anthropic/alwaysLoad"]
  return {
    ...optional("searchHint", text(meta["anthropic/searchHint"])?.slice(0, longestHint)),
    ...(typeof listed === "boolean" && { listed }),
  }
}

function annotationsIn(value: JsonObject): McpAnnotations {
  const flag = (name: keyof McpAnnotations): McpAnnotations =>
    typeof value[name] === "boolean" ? { [name]: value[name] } : {}
  return {
    ...flag("readOnlyHint"),
    ...flag("destructiveHint"),
    ...flag("idempotentHint"),
    ...flag("openWorldHint"),
  }
}

function promptIn(value: JsonObject): McpPrompt | undefined {
  const { name } = value
  if (typeof name !== "string" || name === "") return undefined
  const taken = Array.isArray(value.arguments) ? value.arguments : []
  return {
    name,
    ...words(value),
    arguments: taken.flatMap((one: JsonValue) =>
      isObject(one) && typeof one.name === "string"
        ? [{ name: one.name, ...optional("description", text(one.description)), required: one.required === true }]
        : [],
    ),
  }
}

function resourceIn(value: JsonObject): McpResource | undefined {
  const { uri } = value
  if (typeof uri !== "string" || !isAddress(uri)) return undefined
  return { uri, name: text(value.name) ?? uri, ...words(value), ...optional("mimeType", text(value.mimeType)) }
}

function templateIn(value: JsonObject): McpResourceTemplate | undefined {
  const { uriTemplate } = value
  if (typeof uriTemplate !== "string" || !isAddress(uriTemplate)) return undefined
  return {
    uriTemplate,
    name: text(value.name) ?? uriTemplate,
    ...words(value),
    ...optional("mimeType", text(value.mimeType)),
  }
}

const words = (value: JsonObject): { readonly title?: string; readonly description?: string } => ({
  ...optional("title", text(value.title)),
  ...optional("description", text(value.description)),
})

/** Without invisible characters: this text is shown to users and to the model. */
const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? plainText(value) : undefined
