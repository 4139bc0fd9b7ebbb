/** Requests that change what holds in a session: its mode, its model, how much it thinks, its name. */

import { permissionModes } from "#agent/words/permission.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import { optional } from "#lib/optional.ts"
import type { JsonValue } from "#lib/json.ts"
import { ok } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { rewound } from "#session/port/rewound.ts"
import { type Controls, no } from "./control.ts"

export const changeControls: Controls = {
  /** Sent again by a client that lost track; what it brings along is fixed by now. */
  initialize: async (request, { introduction }) => ok(await introduction(request)),

  async set_permission_mode({ mode }, { session }) {
    const wanted = permissionModes.find((known) => known === (mode === "manual" ? "default" : mode))
    if (!wanted) return no(`There is no permission mode ${String(mode)}.`, "invalid_mode")
    const set = await session.submit({ type: "set_mode", mode: wanted })
    return set.ok ? ok({ mode: wanted }) : no(bypassWords, "bypass_not_launched")
  },

  async set_model({ model }, { session, resolveModel, say }) {
    const wanted = resolveModel(typeof model === "string" && model !== "default" ? model : undefined)
    const set = await session.submit({ type: "set_model", model: wanted })
    if (!set.ok) return no(opFailureWords(set.failure))
    say(`Set model to ${wanted}`)
    return ok({ model: wanted })
  },

  async set_max_thinking_tokens({ max_thinking_tokens: tokens, thinking_display: display }, { session, began }) {
    if (tokens !== null && tokens !== undefined && (typeof tokens !== "number" || !(tokens >= 0)))
      return no("max_thinking_tokens must be a number of at least 0, or null.")
    if (display === "highlights") return no("This model service has no highlights of thinking.")
    const { chosen } = await session.ask({ type: "thinking" })
    const to = withDisplay(withTokens(chosen, tokens, began), display, began)
    await session.submit({ type: "set_thinking", to })
    return ok(undefined)
  },

  async rename_session({ title, session_id: id }, { session }) {
    if (typeof title !== "string") return no("title must be a string.")
    if (id !== undefined && id !== session.id) return no(`This session is ${session.id}, not ${String(id)}.`)
    const renamed = await session.submit({ type: "rename", title })
    return renamed.ok ? ok(undefined) : no(opFailureWords(renamed.failure))
  },

  async cancel_async_message({ message_uuid: id }, { takeBack }) {
    return ok({ cancelled: typeof id === "string" && takeBack(id) })
  },

  async rewind_files({ user_message_id: promptId, dry_run }, { session, rewinds, isAtWork }, signal) {
    if (!rewinds) return no("File rewinding is not enabled.")
    if (typeof promptId !== "string") return no("user_message_id must be a string.")
    const preview = await session.ask({ type: "preview", promptId }, signal)
    if (!preview.ok) return ok({ canRewind: false, error: preview.failure })
    const { files } = preview.value
    const change = {
      canRewind: true,
      filesChanged: files.map(({ path }) => path),
      insertions: sum(files.map(({ added }) => added)),
      deletions: sum(files.map(({ removed }) => removed)),
    }
    if (dry_run === true) return ok(change)
    // A result is told a moment before its turn is over.
    if (!isAtWork()) await session.ask({ type: "settled" }, signal)
    const done = await rewound(session, { type: "rewind", promptId, what: "files" })
    return ok(done.ok ? change : { canRewind: false, error: done.failure })
  },
}

/** Null is how the session began; without a number nothing changes. */
function withTokens(chosen: Thinking, tokens: JsonValue | undefined, began: Thinking): Thinking {
  if (tokens === undefined) return chosen
  const { tokens: _before, ...rest } = chosen
  if (typeof tokens !== "number") return { ...rest, type: began.type, ...optional("tokens", began.tokens) }
  return tokens === 0 ? { ...rest, type: "off" } : { ...rest, type: "on", tokens }
}

function withDisplay(chosen: Thinking, display: JsonValue | undefined, began: Thinking): Thinking {
  if (display === undefined) return chosen
  const { summaries: _before, ...rest } = chosen
  const summaries = display === null ? began.summaries : display === "omitted" ? ("hidden" as const) : undefined
  return { ...rest, ...optional("summaries", summaries) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

const bypassWords =
  "bypassPermissions is not available in this session. Start it with --allow-dangerously-skip-permissions."
