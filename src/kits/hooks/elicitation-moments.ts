/** Hooks around the questions of servers: they can answer one, or change the answer before the server gets it. */

import type { ElicitationAsk, Elicited } from "#agent/words/elicitation.ts"
import type { Answer } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Dispatcher, Fired } from "./dispatch.ts"

export interface ElicitationMoments {
  /** The answer that hooks give instead of the user; undefined if the user is to be asked. */
  readonly before: (ask: ElicitationAsk, signal: AbortSignal) => Promise<Elicited | undefined>
  /** The answer that the server gets. */
  readonly after: (ask: ElicitationAsk, answer: Answer, signal: AbortSignal) => Promise<Answer>
}

export function openElicitationMoments({ fire, has }: Dispatcher): ElicitationMoments {
  return {
    async before(ask, signal) {
      if (!has("Elicitation")) return undefined
      const { server, message, url, schema } = ask
      const fields = {
        ...aboutOf(ask),
        message,
        ...optional("url", url),
        ...optional("requested_schema", schema),
      }
      return meant(await fire({ event: "Elicitation", subjects: [server], fields }, signal))
    },
    async after(ask, answer, signal) {
      if (!has("ElicitationResult") || answer.kind !== "elicited") return answer
      const { action, content } = answer
      const fields = { ...aboutOf(ask), action, ...optional("content", content) }
      const fired = await fire({ event: "ElicitationResult", subjects: [ask.server], fields }, signal)
      return meant(fired) ?? answer
    },
  }
}

const aboutOf = ({ server, url, elicitationId }: ElicitationAsk): JsonObject => ({
  mcp_server_name: server,
  mode: url === undefined ? "form" : "url",
  ...optional("elicitation_id", elicitationId),
})

/** A hook that blocks declines. */
function meant({ verdict, elicited }: Fired): Elicited | undefined {
  if (verdict === "deny") return { kind: "elicited", action: "decline" }
  return elicited && { kind: "elicited", ...elicited }
}
