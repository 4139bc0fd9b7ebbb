/** Each block of a conversation by itself: known, complete, not empty, and allowed in its place. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkImage } from "./image.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "./refusal.ts"
import { isList, listIn, type SimRequest } from "./request.ts"
import { isSignatureSound } from "./signature.ts"

const mostImages = 100

export function checkContent({ messages, body }: SimRequest): Refusal {
  const images = countImages(messages.flatMap(({ content }) => content))
  if (images > mostImages) return refuse("messages", `${images} images > ${mostImages} maximum`)
  return checkReferences(body) ?? checkBlocks(messages.length, body)
}

/** A reference to a tool that the request lacks is refused, however old the result that contains it. */
function checkReferences(body: JsonObject): Refusal {
  const tools = listIn(body.tools).filter(isObject)
  const names = referencesIn(listIn(body.messages))
  const missing = names.find((name) => !tools.some((tool) => tool.name === name))
  if (missing !== undefined) return `Tool reference ${missing} is not among the tools of the request.`
  // The documentation asks for it; a builder that lists such a tool plainly has forgotten what it loaded.
  const plain = names.find((name) => tools.some((tool) => tool.name === name && tool.defer_loading !== true))
  return plain === undefined ? undefined : `Tool reference ${plain} is to a tool that is not deferred.`
}

const referencesIn = (blocks: readonly JsonValue[]): readonly string[] =>
  blocks
    .filter(isObject)
    .flatMap(({ type, tool_name, content }) =>
      type === "tool_reference" && typeof tool_name === "string" ? [tool_name] : referencesIn(listIn(content)),
    )

function checkBlocks(count: number, body: JsonObject): Refusal {
  return firstRefusal(
    listIn(body.messages).flatMap((message, index) => {
      const { role, content } = isObject(message) ? message : {}
      const place = `messages.${index}.content`
      const isLast = index === count - 1
      if (typeof content === "string") return [() => checkText(content, place), () => checkEnd(content, role, isLast)]
      const blocks = listIn(content)
      return blocks.map((block, at) => () => {
        const refusal = checkBlock(block, role, `${place}.${at}`)
        if (refusal !== undefined || at < blocks.length - 1) return refusal
        return checkEnd(isObject(block) ? block.text : undefined, role, isLast)
      })
    }),
  )
}

type BlockCheck = (block: JsonObject, place: string) => Refusal

interface BlockRule {
  readonly roles: readonly string[]
  readonly fields: readonly string[]
  readonly check: BlockCheck
}

const fine: BlockCheck = () => undefined
const either = ["user", "assistant"]
const common = ["type", "cache_control"]

const rules: { readonly [type: string]: BlockRule } = {
  text: {
    roles: either,
    fields: [...common, "text", "citations"],
    check: ({ text }, place) => checkText(text, place),
  },
  image: {
    roles: ["user"],
    fields: [...common, "source", "transformations"],
    check: ({ source }, place) => checkImage(source, `${place}.image.source`),
  },
  document: {
    roles: ["user"],
    fields: [...common, "source", "title", "context", "citations"],
    check: ({ source }, place) => (isObject(source) ? undefined : refuse(`${place}.document.source`, "field required")),
  },
  tool_reference: {
    roles: ["user"],
    fields: [...common, "tool_name"],
    check: ({ tool_name }, place) =>
      typeof tool_name === "string" && tool_name !== ""
        ? undefined
        : refuse(`${place}.tool_reference.tool_name`, "field required"),
  },
  search_result: { roles: ["user"], fields: [...common, "source", "title", "content", "citations"], check: fine },
  tool_use: {
    roles: ["assistant"],
    fields: [...common, "id", "name", "input", "caller", "toolset_name"],
    check: checkToolUse,
  },
  tool_result: {
    roles: ["user"],
    fields: [...common, "tool_use_id", "content", "is_error", "toolset_name"],
    check: checkToolResult,
  },
  server_tool_use: {
    roles: ["assistant"],
    fields: [...common, "id", "name", "input", "caller"],
    check: checkServerUse,
  },
  web_search_tool_result: {
    roles: ["assistant"],
    fields: [...common, "tool_use_id", "content", "caller"],
    check: ({ tool_use_id }, place) => checkServerId(tool_use_id, `${place}.web_search_tool_result.tool_use_id`),
  },
  thinking: { roles: ["assistant"], fields: ["type", "thinking", "signature"], check: checkThinkingBlock },
  redacted_thinking: {
    roles: ["assistant"],
    fields: ["type", "data"],
    check: ({ data }, place) => (typeof data === "string" ? undefined : refuse(`${place}.data`, "field required")),
  },
}

function checkBlock(
  block: JsonValue,
  role: JsonValue | undefined,
  place: string,
  where: "message" | "result" = "message",
): Refusal {
  if (!isObject(block)) return refuse(place, "must be an object")
  const { type } = block
  if (type === "tool_reference" && where === "message")
    return refuse(`${place}.type`, "tool_reference blocks may stand only in a tool_result")
  const rule = typeof type === "string" && Object.hasOwn(rules, type) ? rules[type] : undefined
  if (rule === undefined) return refuse(`${place}.type`, `unknown block type ${JSON.stringify(type ?? null)}`)
  if (typeof role !== "string" || !rule.roles.includes(role))
    return refuse(`${place}.type`, `${String(type)} blocks may not stand in ${String(role)} messages`)
  return rule.check(block, place) ?? checkFields(block, `${place}.${String(type)}`, rule.fields)
}

function checkText(text: JsonValue | undefined, place: string): Refusal {
  if (typeof text !== "string") return refuse(`${place}.text`, "field required")
  if (text === "") return refuse(place, "text blocks must not be empty")
  return text.trim() === "" ? refuse(place, "text blocks must hold more than white space") : undefined
}

/** A reply that the model should continue may not end in whitespace. */
function checkEnd(text: JsonValue | undefined, role: JsonValue | undefined, isLast: boolean): Refusal {
  if (!isLast || role !== "assistant" || typeof text !== "string" || text === text.trimEnd()) return undefined
  return refuse("messages", "the final assistant message must not end in white space")
}

function checkToolUse({ id, name, input }: JsonObject, place: string): Refusal {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id))
    return refuse(`${place}.tool_use.id`, "must be made of letters, digits, _ and -")
  if (typeof name !== "string" || name === "") return refuse(`${place}.tool_use.name`, "field required")
  return isObject(input) ? undefined : refuse(`${place}.tool_use.input`, "must be an object")
}

function checkServerUse({ id, input }: JsonObject, place: string): Refusal {
  return (
    checkServerId(id, `${place}.server_tool_use.id`) ??
    (isObject(input) ? undefined : refuse(`${place}.server_tool_use.input`, "must be an object"))
  )
}

const checkServerId = (id: JsonValue | undefined, place: string): Refusal =>
  typeof id === "string" && /^srvtoolu_[a-zA-Z0-9_]+$/.test(id)
    ? undefined
    : refuse(place, "must be srvtoolu_ and letters, digits or _")

function checkToolResult({ tool_use_id, content, is_error }: JsonObject, place: string): Refusal {
  if (typeof tool_use_id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(tool_use_id))
    return refuse(`${place}.tool_result.tool_use_id`, "must be made of letters, digits, _ and -")
  if (content === undefined || typeof content === "string") return undefined
  if (!isList(content)) return refuse(`${place}.tool_result.content`, "must be a string or a list of blocks")
  return firstRefusal(
    content.map((block, at) => () => {
      const inner = `${place}.tool_result.content.${at}`
      const type = isObject(block) ? block.type : undefined
      if (!["text", "image", "document", "search_result", "tool_reference"].includes(String(type)))
        return refuse(`${inner}.type`, `${String(type)} blocks may not stand in a tool_result`)
      if (is_error === true && type !== "text") return refuse(inner, "a result with is_error may hold only text")
      return checkBlock(block, "user", inner, "result")
    }),
  )
}

function checkThinkingBlock({ thinking, signature }: JsonObject, place: string): Refusal {
  if (typeof thinking !== "string") return refuse(`${place}.thinking.thinking`, "field required")
  if (typeof signature !== "string" || signature === "") return refuse(`${place}.thinking.signature`, "field required")
  return isSignatureSound(thinking, signature)
    ? undefined
    : refuse(`${place}.thinking.signature`, "does not fit the thinking; send both back unchanged")
}

function countImages(blocks: readonly JsonObject[]): number {
  return blocks.reduce(
    (sum, { type, content }) => sum + (type === "image" ? 1 : countImages(listIn(content).filter(isObject))),
    0,
  )
}
