/** Answers permission questions by calling a tool of an MCP server. Whatever goes wrong with it is a no. */

import { textOf } from "#agent/words/message.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readUpdates } from "#session/port/permission-update.ts"
import type { SessionServers } from "./session-servers.ts"

export interface PromptToolParts {
  /** Its full name: `mcp__server__tool`. */
  readonly name: string
  readonly servers: Pick<SessionServers, "tools" | "arrived"> | undefined
  readonly ids: Ids
}

/** Questions of other kinds are for people, and there is nobody else. */
export async function answerByTool({ ask }: Question, parts: PromptToolParts, signal: AbortSignal): Promise<Answer> {
  if (ask.kind !== "permission") return { kind: "unanswered", why: "nobody can be asked in this run" }
  const { tool, input, callId } = ask
  const said = await call(parts, { tool_name: tool, input, tool_use_id: callId }, signal)
  const answer = said.ok ? answerIn(said.value) : said
  if (answer.ok) return answer.value
  return {
    kind: "deny",
    interrupt: false,
    words: `The permission tool ${parts.name} gave no answer: ${answer.failure}`,
  }
}

async function call(
  { name, servers, ids }: PromptToolParts,
  input: JsonObject,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  await servers?.arrived(signal)
  const tool = servers?.tools().find((one) => one.name === name)
  if (!tool) return failed("there is no such tool.")
  const parsed = tool.parse(input)
  if (!parsed.ok) return failed(parsed.message)
  const context = { callId: `permission-${ids.uuid()}`, signal, progress: () => {} }
  const { content, isError } = await tool.run(parsed.value, context)
  return isError ? failed(textOf(content)) : ok(textOf(content))
}

/** `{"behavior": "allow", "updatedInput"?, "updatedPermissions"?}` or `{"behavior": "deny", "message"?, "interrupt"?}`. */
function answerIn(text: string): Result<Answer, string> {
  const value = objectIn(text)
  if (!value) return failed("it did not answer with a JSON object.")
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = value
  if (behavior === "deny")
    return ok({
      kind: "deny",
      interrupt: interrupt === true,
      ...(typeof message === "string" && message !== "" && { words: message }),
    })
  if (behavior !== "allow") return failed(`its behavior is ${JSON.stringify(behavior ?? null)}, not allow or deny.`)
  const updates = readUpdates(updatedPermissions)
  if (!updates.ok) return failed(`${updates.failure}.`)
  const allow = { kind: "allow", ...(updates.value.length > 0 && { updates: updates.value }) } as const
  if (updatedInput === undefined || updatedInput === null) return ok(allow)
  return isObject(updatedInput) ? ok({ ...allow, updatedInput }) : failed("its updatedInput is not an object.")
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
