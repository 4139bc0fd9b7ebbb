/** A whole agent as one tool: a task in, its answer, session and cost out. */

import type { Entry } from "#agent/words/entry.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { object, string } from "#lib/shape.ts"
import type { Session } from "#session/port/session.ts"
import type { CallStep, CallUnderWay, StartedBy } from "./call.ts"
import { errorResult, textContent } from "./content.ts"
import { startRun } from "./session-run.ts"

export interface AgentRequest {
  readonly prompt: string
  readonly model?: string | undefined
  /** Inside the workspace, relative to it. */
  readonly folder?: string | undefined
  /** The id of a session to continue. */
  readonly session?: string | undefined
}

export interface OpenedAgent {
  readonly session: Session
  readonly close: () => Promise<void>
}

export const agentName = "agent"

const input = object({
  prompt: string().min(1).describe("The task, with everything the agent needs to know."),
  model: string().optional().describe("The model to use, by name or alias. The configured one by default."),
  folder: string()
    .optional()
    .describe("A folder inside the workspace to work in, relative to it. The workspace by default."),
  session: string().optional().describe("The session id of an earlier call, to continue that conversation."),
})

export const agentSpec: JsonObject = {
  name: agentName,
  title: "Codewright agent",
  description:
    "Gives a task to Codewright, a coding agent with a model of its own. It reads and edits files and runs commands in this workspace until the task is done, under the permission rules of its user. Returns its answer and the id of the session; pass that id to continue the conversation. A call may take minutes and costs money.",
  inputSchema: input.json,
  outputSchema: {
    type: "object",
    properties: {
      text: { type: "string" },
      session: { type: "string" },
      cost_usd: { type: "number" },
      end: { type: "string", description: "Why it stopped: completed, aborted, max_turns, max_budget or another." },
    },
    required: ["text", "session", "cost_usd", "end"],
  },
  annotations: { title: "Codewright agent", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

export function readAgentRequest(args: JsonObject): Result<AgentRequest, string> {
  const read = input.read(args, "")
  return read.ok ? ok(read.value) : failed(read.complaints.join(" "))
}

export function startAgent(
  request: AgentRequest,
  { session, close }: OpenedAgent,
  { onProgress }: StartedBy,
  ids: Ids,
): CallUnderWay {
  const before = session.ask({ type: "state" })
  const run = startRun({ session, prompt: request.prompt, ids, onProgress })

  async function next(): Promise<CallStep> {
    const step = await run.next()
    if (step.kind === "asks") return step
    await session.ask({ type: "settled" }).catch(() => undefined)
    const [{ costUsd: spent }, now] = await Promise.all([before, session.ask({ type: "state" })])
    await close()
    const { reason, message } = step.end
    const text = answerIn(step.entries) || message || (reason === "completed" ? "" : `The run ended: ${reason}.`)
    const isError = reason !== "completed"
    const said = isError && message !== undefined && text !== message ? `${text}\n\n${message}` : text
    const about = { text: said, session: session.id, cost_usd: now.costUsd - spent, end: reason }
    return {
      kind: "done",
      result: {
        content: [textContent(said), textContent(`session: ${session.id}, cost: $${about.cost_usd.toFixed(4)}`)],
        structuredContent: about,
        isError,
      },
    }
  }

  return {
    next: () => next().catch((error: unknown) => ({ kind: "done", result: errorResult(String(error)) })),
    answer: run.answer,
    cancel: run.cancel,
  }
}

/** The text of the last message that has any. */
function answerIn(entries: readonly Entry[]): string {
  const texts = entries.flatMap((entry) =>
    entry.kind === "reply" && entry.block.type === "text" ? [{ id: entry.messageId, text: entry.block.text }] : [],
  )
  const last = texts.at(-1)
  return texts
    .filter(({ id }) => id === last?.id)
    .map(({ text }) => text)
    .join("\n\n")
}
