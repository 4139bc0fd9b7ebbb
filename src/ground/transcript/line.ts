/**
 * Encodes an entry as a line of the log, and decodes it. The field names are those that clients of the ecosystem
 * read.
 */

import { type CommandSource, type CommandUse, readTurnHooks } from "#agent/words/command.ts"
import type { Entry, EntryBody, ModelUsed, Stamp } from "#agent/words/entry.ts"
import { readFootprint } from "#agent/words/footprint.ts"
import { noUsage, type StopReason } from "#agent/words/model.ts"
import type { PromptBlock, ResultContent, ToolResultBlock } from "#agent/words/message.ts"
import type { PromptOrigin } from "#agent/words/origin.ts"
import { type Question, questionOf } from "#agent/words/question.ts"
import { gatherings, interruptedWhens } from "#agent/words/tool.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { assistantBlock, messagesIn, promptBlocks, resultContent, usageIn } from "./blocks.ts"
import { isOwnEntry, isSeen } from "./own-kinds.ts"
import { restoreRepeats, shortenedText, shortenRepeats } from "./repeats.ts"
import { sealed } from "./seal.ts"

/** Where a line was written, part of every line. */
export interface Origin {
  readonly sessionId: string
  readonly cwd: string
  readonly version: string
  readonly gitBranch: string
  readonly entrypoint: string
  /** Set if it is not the main agent's log. */
  readonly agentId?: string
}

/**
 * `after`: the message before it, for a message in an agent's log. Clients join the messages of agents by their parents
 * and know no other lines, so the real parent has a field of its own there.
 */
export function encodeEntry(entry: Entry, origin: Origin, more?: JsonObject, after?: string): string {
  const isJoined = after !== undefined && after !== entry.parentUuid
  return sealed({
    parentUuid: isJoined ? after : entry.parentUuid,
    isSidechain: origin.agentId !== undefined,
    agentId: origin.agentId,
    follows: isJoined ? entry.parentUuid : undefined,
    userType: "external",
    entrypoint: origin.entrypoint,
    cwd: origin.cwd,
    sessionId: origin.sessionId,
    version: origin.version,
    gitBranch: origin.gitBranch,
    ...encodeBody(entry),
    uuid: entry.uuid,
    timestamp: new Date(entry.at).toISOString(),
    ...more,
  })
}

function encodeBody(entry: Entry): object {
  switch (entry.kind) {
    case "prompt":
      return {
        type: "user",
        message: { role: "user", content: plain(entry.content) },
        promptId: entry.promptId,
        ...((entry.command || entry.origin) && { codewright: { command: entry.command, origin: entry.origin } }),
      }
    case "attachment":
      return { type: "attachment", attachment: { ...entry.data, type: entry.name, text: entry.text } }
    case "reply": {
      // Clients add up what the lines say, so only the line that ends an answer has its usage.
      const isLast = entry.stopReason !== undefined
      return {
        type: "assistant",
        message: {
          id: entry.messageId,
          type: "message",
          role: "assistant",
          model: entry.model,
          content: [entry.block],
          stop_reason: entry.stopReason ?? null,
          stop_sequence: null,
          usage: isLast ? entry.usage : noUsage,
        },
        ...optional("requestId", entry.requestId),
        ...optional("aborted", entry.aborted),
        ...(!isLast && { codewright: { usage: entry.usage } }),
      }
    }
    case "result": {
      const { content, isError, callId, data, tool, title, gathers, display, denied, interrupted, seen, durationMs } =
        entry
      const block: ToolResultBlock = {
        type: "tool_result",
        tool_use_id: callId,
        content,
        ...(isError && { is_error: true }),
      }
      const { value, repeats } = shortenRepeats(
        { ...optional("data", data), ...optional("display", display as unknown as JsonObject | undefined) },
        toldText(content),
      )
      return {
        type: "user",
        message: { role: "user", content: [block] },
        toolUseResult: value.data ?? (isError && typeof content === "string" ? errorText(content) : undefined),
        codewright: {
          tool,
          title,
          gathers,
          display: value.display,
          denied,
          interrupted,
          seen,
          durationMs,
          data: data !== undefined,
          ...(repeats.length > 0 && { repeats }),
        },
      }
    }
    default: {
      const { uuid: _uuid, parentUuid: _parent, at: _at, kind, ...body } = entry
      return { type: "system", subtype: kind, level: "info", codewright: body, ...usedBeside(entry) }
    }
  }
}

/** The text of a result, in which what others see of it is found. */
const toldText = (content: ResultContent): string =>
  typeof content === "string"
    ? content
    : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

const errorText = (content: string): string => shortenedText(`Error: ${content}`)

/** What was used by an answer that was cut off, or outside the conversation, where clients that add up the lines find it. */
function usedBeside(entry: Entry): object {
  if (entry.kind === "reply_end" && entry.cut !== undefined) return usedIn(entry.messageId, entry)
  // Of no weight for the size of the conversation.
  if (entry.kind === "spent" && entry.side) return { ...usedIn(entry.uuid, entry.side), isSidechain: true }
  return {}
}

/** With a stop reason, without which some clients do not count a line, and a request, without which others count copies. */
const usedIn = (id: string, { model, usage }: ModelUsed): object => ({
  message: { id, type: "message", role: "assistant", model, content: [], stop_reason: "end_turn", usage },
  requestId: id,
})

const plain = (content: readonly PromptBlock[]): string | readonly PromptBlock[] =>
  content.length === 1 && content[0]?.type === "text" ? content[0].text : content

/** What clients take for messages. */
export const isMessage = ({ kind }: Pick<Entry, "kind">): boolean =>
  kind === "prompt" || kind === "reply" || kind === "result"

/** The entry that a line follows. */
export function parentIn({ parentUuid, isSidechain, follows }: JsonObject): string | null {
  const parent = isSidechain === true && typeof follows === "string" ? follows : parentUuid
  return typeof parent === "string" ? parent : null
}

/** Undefined for lines of other kinds or shapes. */
export function decodeEntry(line: JsonObject): Entry | undefined {
  const { uuid, timestamp } = line
  if (typeof uuid !== "string" || typeof timestamp !== "string") return undefined
  const body = decodeBody(line)
  const at = Date.parse(timestamp)
  if (!body || Number.isNaN(at)) return undefined
  const stamp: Stamp = { uuid, parentUuid: parentIn(line), at }
  return { ...body, ...stamp }
}

function decodeBody(line: JsonObject): EntryBody | undefined {
  const message = isObject(line.message) ? line.message : undefined
  switch (line.type) {
    case "user":
      return message && decodeUser(line, message)
    case "assistant":
      return message && decodeReply(line, message)
    case "attachment": {
      if (!isObject(line.attachment)) return undefined
      const { type, text, ...data } = line.attachment
      if (typeof type !== "string" || typeof text !== "string") return undefined
      return { kind: "attachment", name: type, text, ...(Object.keys(data).length > 0 && { data }) }
    }
    case "system":
      return decodeOwn(line)
    default:
      return undefined
  }
}

function decodeUser(line: JsonObject, message: JsonObject): EntryBody | undefined {
  const { content } = message
  const block: JsonValue | undefined = Array.isArray(content) ? content[0] : undefined
  if (isObject(block) && block.type === "tool_result") return decodeResult(line, block)
  const blocks = promptBlocks(content)
  const promptId = typeof line.promptId === "string" ? line.promptId : String(line.uuid)
  return (
    blocks && {
      kind: "prompt",
      content: blocks,
      promptId,
      ...optional("command", commandUse(line.codewright)),
      ...originIn(line.codewright),
    }
  )
}

/** A damaged or newer origin: then it does not count as typed. */
function originIn(own: JsonValue | undefined): { readonly origin?: PromptOrigin } {
  const origin = isObject(own) ? own.origin : undefined
  if (origin === undefined) return {}
  const isPiped = isObject(origin) && origin.kind === "piped" && typeof origin.words === "string"
  return { origin: isPiped ? { kind: "piped", words: String(origin.words) } : { kind: "made" } }
}

const sources: readonly CommandSource[] = ["built-in", "user", "project", "server", "plugin"]

/** A line in which this is damaged is a prompt all the same. */
function commandUse(own: JsonValue | undefined): CommandUse | undefined {
  const command = isObject(own) ? own.command : undefined
  if (!isObject(command) || typeof command.typed !== "string") return undefined
  const { allowedTools, disallowedTools, model, meant, source, hooks } = command
  const texts = (value: JsonValue | undefined): readonly string[] | undefined =>
    Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined
  return {
    typed: command.typed,
    ...optional("meant", typeof meant === "string" ? meant : undefined),
    ...optional(
      "source",
      sources.find((one) => one === source),
    ),
    ...optional("allowedTools", texts(allowedTools)),
    ...optional("disallowedTools", texts(disallowedTools)),
    ...optional("model", typeof model === "string" ? model : undefined),
    ...(Array.isArray(hooks) && { hooks: readTurnHooks(hooks) }),
  }
}

function decodeResult(line: JsonObject, block: JsonObject): EntryBody | undefined {
  if (typeof block.tool_use_id !== "string") return undefined
  const own = isObject(line.codewright) ? line.codewright : {}
  const content = resultContent(block.content)
  const { data, display } = restoreRepeats(
    {
      ...(own.data === true && isObject(line.toolUseResult) && { data: line.toolUseResult }),
      ...(isObject(own.display) && { display: own.display }),
    },
    own.repeats,
    own.repeats === undefined ? "" : toldText(content),
  )
  return {
    kind: "result",
    callId: block.tool_use_id,
    tool: typeof own.tool === "string" ? own.tool : "",
    ...optional("title", typeof own.title === "string" ? own.title : undefined),
    ...optional(
      "gathers",
      gatherings.find((what) => what === own.gathers),
    ),
    content,
    isError: block.is_error === true,
    ...(isObject(data) && { data }),
    ...(isObject(display) && { display: display as never }),
    ...(isObject(own.denied) && { denied: own.denied as never }),
    ...optional(
      "interrupted",
      interruptedWhens.find((when) => when === own.interrupted),
    ),
    ...(isSeen(own.seen) && { seen: own.seen as never }),
    durationMs: typeof own.durationMs === "number" ? own.durationMs : 0,
  }
}

function decodeReply({ aborted, requestId, codewright }: JsonObject, message: JsonObject): EntryBody | undefined {
  const { id, model, content, usage, stop_reason } = message
  const block = assistantBlock(Array.isArray(content) ? content[0] : undefined)
  if (typeof id !== "string" || !block) return undefined
  return {
    kind: "reply",
    messageId: id,
    model: typeof model === "string" ? model : "",
    block,
    usage: usageIn(isObject(codewright) ? codewright.usage : usage),
    ...optional("stopReason", typeof stop_reason === "string" ? (stop_reason as StopReason) : undefined),
    ...optional("requestId", typeof requestId === "string" ? requestId : undefined),
    ...(aborted === true && { aborted }),
  }
}

function decodeOwn(line: JsonObject): EntryBody | undefined {
  const { subtype, codewright } = line
  if (typeof subtype !== "string" || !isObject(codewright) || !isOwnEntry(subtype, codewright)) return undefined
  const body = { kind: subtype, ...codewright }
  if (subtype === "reply_end") return { ...body, usage: usageIn(codewright.usage) } as unknown as EntryBody
  if (subtype === "compaction")
    return {
      ...body,
      messages: messagesIn(codewright.messages),
      standing: standingIn(codewright.standing),
    } as unknown as EntryBody
  if (subtype === "question") return { kind: subtype, question: questionIn(codewright.question) }
  if (subtype === "withdrawn") return { ...body, prompts: withdrawnIn(codewright.prompts) } as unknown as EntryBody
  if (subtype === "queued")
    return { ...body, content: promptBlocks(codewright.content), ...originIn(codewright) } as unknown as EntryBody
  return body as unknown as EntryBody
}

const withdrawnIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value)
    ? value.flatMap((one: JsonValue) =>
        isObject(one) ? [{ ...one, content: promptBlocks(one.content) } as unknown as JsonObject] : [],
      )
    : []

/** Older logs have neither the key of a question nor the effect of the call it is about. */
function questionIn(value: JsonValue | undefined): Question {
  const known = value as unknown as Question
  const ask = isCall(known.ask) ? { ...known.ask, footprint: readFootprint(known.ask.footprint) } : known.ask
  return { ...questionOf(known.id, ask, known.agent), ...known, ask }
}

/** Older logs may lack all of this. */
const isCall = (ask: Question["ask"]): ask is Question["ask"] & { kind: "permission" } =>
  ask.kind === "permission" && isObject(ask.footprint)

/** Invalid ones must not be folded, like any other line. */
const standingIn = (value: JsonValue | undefined): readonly EntryBody[] =>
  Array.isArray(value)
    ? value.flatMap((one: JsonValue) => {
        if (!isObject(one)) return []
        const { kind, ...codewright } = one
        return decodeOwn({ subtype: kind ?? null, codewright }) ?? []
      })
    : []
