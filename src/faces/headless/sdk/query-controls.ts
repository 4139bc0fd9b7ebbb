/** Requests that only look: what fills the context, what there is to choose from, what it cost. */

import { modelUsage } from "#faces/headless/result.ts"
import { ok } from "#lib/result.ts"
import { contextUsage } from "./context-usage.ts"
import { type Controls, no } from "./control.ts"
import { modelRows } from "./introduction.ts"

export const queryControls: Controls = {
  async get_context_usage(_, { session, around }) {
    const [context, details, { model }, settings] = await Promise.all([
      session.ask({ type: "context" }),
      session.ask({ type: "context_details" }),
      session.ask({ type: "state" }),
      around.settings(),
    ])
    const { autoCompact, autoCompactEnabled } = settings.ok ? around.merged(settings.value, {}) : {}
    return ok(
      contextUsage({ context, details, model, compacts: autoCompact !== false && autoCompactEnabled !== false }),
    )
  },

  async list_models(_, { session, models, factsOf }) {
    const [rows, { model }] = await Promise.all([models(), session.ask({ type: "state" })])
    return ok({ models: modelRows(rows, model, factsOf) })
  },

  async get_session_cost(_, { session }) {
    const answer = await session.ask({ type: "command", name: "cost", args: "" })
    return ok({ text: answer?.text ?? "" })
  },

  /** Limits of a subscription and what used them up are known only to those who sell one. */
  async get_usage(_, { session, factsOf, times, clock }) {
    const [state, changes] = await Promise.all([session.ask({ type: "state" }), session.ask({ type: "changes" })])
    const files = changes.ok ? changes.value : []
    const { startedAt, apiMs } = times()
    return ok({
      session: {
        total_cost_usd: state.costUsd,
        total_api_duration_ms: apiMs,
        total_duration_ms: clock.now() - startedAt,
        total_lines_added: files.reduce((all, { added }) => all + added, 0),
        total_lines_removed: files.reduce((all, { removed }) => all + removed, 0),
        model_usage: modelUsage({ state, factsOf }),
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    })
  },

  get_binary_version: async (_, { version }) => ok({ version }),

  async file_suggestions({ query = "" }, { around }, signal) {
    if (typeof query !== "string") return no("query must be a string.")
    return ok({ suggestions: (await around.findFiles(query, signal)).map((path) => ({ path })) })
  },
}
