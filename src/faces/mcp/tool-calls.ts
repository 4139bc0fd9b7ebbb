/** Our own tools for a client: one session that stays open, in which its calls run one after the other. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { CallStep, CallUnderWay, StartedBy } from "./call.ts"
import type { ClientModel } from "./client-model.ts"
import { contentOf, errorResult, textContent } from "./content.ts"
import { type SessionRun, startRun } from "./session-run.ts"

export interface ToolCalls {
  readonly specs: () => Promise<readonly ToolSpec[]>
  readonly start: (name: string, input: JsonObject, by: StartedBy) => CallUnderWay
}

export interface ToolCallParts {
  readonly session: SessionPort
  readonly model: ClientModel
  readonly ids: Ids
}

export function openToolCalls({ session, model, ids }: ToolCallParts): ToolCalls {
  /** The call before is over. */
  let last: Promise<unknown> = Promise.resolve()

  function begin(
    name: string,
    input: JsonObject,
    { client, onProgress }: StartedBy,
  ): SessionRun & { readonly id: string } {
    const id = `toolu_${ids.uuid().replaceAll("-", "")}`
    model.make({ id, name, input })
    const prompt = `${client === "" ? "An MCP client" : `The MCP client ${client}`} calls ${name}.`
    return { id, ...startRun({ session, prompt, ids, onProgress }) }
  }

  return {
    specs: () => session.ask({ type: "tool_specs" }),
    start(name, input, by) {
      const over = Promise.withResolvers<void>()
      const turn = last
      last = over.promise
      let run: ReturnType<typeof begin> | undefined
      let isCanceled = false
      /** What the user said along with a yes. The client is the model, so it hears it with the result. */
      const words: string[] = []

      async function next(): Promise<CallStep> {
        if (!run) await turn
        if (isCanceled && !run) {
          over.resolve()
          return { kind: "done", result: errorResult("Canceled before it began. Nothing was done.") }
        }
        run ??= begin(name, input, by)
        const step = await run.next()
        if (step.kind === "asks") return step
        over.resolve()
        return { kind: "done", result: resultIn(run.id, step, words) }
      }

      return {
        next,
        async answer(asked, answer) {
          if (answer.kind !== "allow") return run?.answer(asked, answer)
          const { words: said, ...plain } = answer
          if (said !== undefined) words.push(said)
          await run?.answer(asked, plain)
        },
        cancel() {
          isCanceled = true
          run?.cancel()
        },
      }
    },
  }
}

function resultIn(
  callId: string,
  { entries, end: { message } }: { readonly entries: readonly Entry[]; readonly end: End },
  words: readonly string[],
): JsonObject {
  const result = entries.find((entry) => entry.kind === "result" && entry.callId === callId)
  if (result?.kind !== "result") return errorResult(message ?? "The call was stopped before it had a result.")
  const added = words.map((text) => textContent(`The user adds: ${text}`))
  return { content: [...contentOf(result.content), ...added], isError: result.isError }
}
