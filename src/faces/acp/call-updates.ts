/** Calls of tools as updates, from the first word of a call to its result. */

import type { Display } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import { plainTitle } from "#agent/words/title.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { diffLocations, displayContent, inputLocations, kindOf, outputContent, resultContent } from "./tool-calls.ts"

export type ResultEntry = Entry & { readonly kind: "result" }

export interface CallUpdates {
  /** The model has begun to write it. */
  readonly begin: (use: ToolUseBlock) => void
  /** The model has written it. */
  readonly made: (use: ToolUseBlock) => void
  readonly start: (callId: string, title: string) => void
  readonly progress: (callId: string, output: string) => void
  readonly end: (result: ResultEntry) => void
}

interface ShownCall {
  readonly tool: string
  /** What it has printed: all of it in a terminal, else the end. */
  printed: string
  inTerminal: boolean
}

/** All that is shown of a running call. */
const mostTail = 8_000

/**
 * `terminals`: the editor draws the output of our commands as a terminal, as several editors do: each part of it is sent
 * once.
 */
export function openCallUpdates({
  cwd,
  send,
  terminals,
}: {
  readonly cwd: string
  readonly send: (update: JsonObject) => void
  readonly terminals: boolean
}): CallUpdates {
  const calls = new Map<string, ShownCall>()
  const update = (toolCallId: string, fields: JsonObject): void =>
    send({ sessionUpdate: "tool_call_update", toolCallId, ...fields })

  function begin({ id, name }: ToolUseBlock): void {
    if (calls.has(id)) return
    calls.set(id, { tool: name, printed: "", inTerminal: false })
    send({ sessionUpdate: "tool_call", toolCallId: id, title: name, name, kind: kindOf(name), status: "pending" })
  }

  return {
    begin,
    made(use) {
      begin(use)
      const locations = inputLocations(use.input, cwd)
      update(use.id, {
        title: plainTitle(use),
        rawInput: use.input,
        ...(locations.length > 0 && { locations }),
      })
    },
    start(callId, title) {
      const call = calls.get(callId)
      if (!call) return
      call.inTerminal = terminals && kindOf(call.tool) === "execute"
      update(callId, {
        title,
        status: "in_progress",
        ...(call.inTerminal && {
          content: [{ type: "terminal", terminalId: callId }],
          _meta: { terminal_info: { terminal_id: callId, cwd } },
        }),
      })
    },
    progress(callId, output) {
      const call = calls.get(callId)
      if (!call || output === "") return
      if (call.inTerminal) {
        call.printed += output
        return update(callId, { _meta: { terminal_output: { terminal_id: callId, data: output } } })
      }
      call.printed = (call.printed + output).slice(-mostTail)
      update(callId, { content: [outputContent(call.printed)] })
    },
    end(result) {
      const { callId, display } = result
      const call = calls.get(callId)
      calls.delete(callId)
      const fields = resultFields(result, cwd)
      if (!call?.inTerminal || display?.kind !== "terminal") return update(callId, fields)
      const { content: _content, ...rest } = fields
      update(callId, { ...rest, _meta: terminalEnd(callId, call.printed, display) })
    },
  }
}

/** What is left of the output, and the exit code. */
function terminalEnd(
  callId: string,
  printed: string,
  { output, exitCode }: Display & { readonly kind: "terminal" },
): JsonObject {
  const left = output.startsWith(printed) ? output.slice(printed.length) : ""
  return {
    ...(left !== "" && { terminal_output: { terminal_id: callId, data: left } }),
    terminal_exit: { terminal_id: callId, exit_code: exitCode, signal: null },
  }
}

function resultFields(entry: ResultEntry, cwd: string): JsonObject {
  const locations = diffLocations(entry.display, cwd)
  return {
    status: entry.isError ? "failed" : "completed",
    ...optional("title", entry.title),
    content: displayContent(entry.display, cwd) ?? resultContent(entry.content),
    ...(locations && { locations }),
  }
}

/** A call and its result in one: an earlier conversation is long enough without its stages. */
export function pastCall(use: ToolUseBlock, result: ResultEntry | undefined, cwd: string): JsonObject {
  const locations = inputLocations(use.input, cwd)
  return {
    sessionUpdate: "tool_call",
    toolCallId: use.id,
    title: plainTitle(use),
    name: use.name,
    kind: kindOf(use.name),
    rawInput: use.input,
    ...(locations.length > 0 && { locations }),
    ...(result ? resultFields(result, cwd) : { status: "pending" }),
  }
}
