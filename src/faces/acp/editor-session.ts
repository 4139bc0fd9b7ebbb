/** One session as the editor holds it: prompts in, updates and questions out. */

import type { Entry } from "#agent/words/entry.ts"
import type { Cursor, Event } from "#agent/words/event.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { Session } from "#session/port/session.ts"
import { configOptions, readConfig, modesOf, setOption } from "./config.ts"
import type { ClientCapabilities, ContentBlock } from "./params.ts"
import { openPrompts } from "./prompts.ts"
import { openQuestions } from "./questions.ts"
import { type IncomingCall, type Rpc, type RpcError, rpcError } from "#lib/json-rpc.ts"
import { openUpdates } from "./updates.ts"

/** What is needed of a session that was opened for the editor. */
export interface OpenedSession {
  readonly session: Session
  readonly factsOf: (model: string) => Pick<ModelFacts, "window">
  readonly models: () => Promise<readonly ModelRow[]>
  /** What was noticed while opening it, for the user. */
  readonly notes: readonly string[]
  /** Why it ended although nobody closed it here. */
  readonly ended?: () => string | undefined
  readonly close: () => Promise<void>
}

export interface EditorSessionParts extends OpenedSession {
  readonly rpc: Rpc
  readonly client: ClientCapabilities
  /** Resolves when the client has read what was sent. */
  readonly written: () => Promise<void>
  readonly ids: Ids
}

export interface EditorSession {
  readonly id: string
  readonly prompt: (blocks: readonly ContentBlock[], call: IncomingCall) => Promise<Result<JsonObject, RpcError>>
  readonly cancel: () => void
  /** Modes and options, as they are now. */
  readonly config: () => Promise<JsonObject>
  readonly setOption: (id: string, value: string) => Promise<Result<JsonObject, RpcError>>
  /** The conversation so far. */
  readonly replay: () => Promise<void>
  /** From here on everything is told. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** The client is waited for after so many events, so that one that stops reading stops us. */
const eventsBeforeWaiting = 64

export async function openEditorSession(parts: EditorSessionParts): Promise<EditorSession> {
  const { session, rpc, client } = parts
  const { _meta: extensions } = client
  const { cwd, opened } = await session.ask({ type: "about" })
  const events = session.events(opened)
  const models = lazily(() => parts.models())
  const send = (update: JsonObject): void => rpc.notify("session/update", { sessionId: session.id, update })
  const prompts = openPrompts({ session, ids: parts.ids, say })
  const updates = openUpdates({
    cwd,
    send,
    shows: {
      notices: client.session?.notices !== undefined,
      compaction: client.session?.compaction !== undefined,
      terminals: extensions?.terminal_output === true,
    },
    isOwn: prompts.isOwn,
    ids: parts.ids,
  })
  const questions = openQuestions({
    sessionId: session.id,
    cwd,
    session,
    rpc,
    can: { form: client.elicitation?.form !== undefined, url: client.elicitation?.url !== undefined },
  })
  const states = openStates({ send, factsOf: parts.factsOf, changed: publishConfig })
  let last: Cursor | "beginning" = opened
  let commands = ""
  let isStarted = false

  function say(text: string): void {
    send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
  }

  async function configNow(): Promise<JsonObject> {
    const config = await readConfig(session, await models())
    return { modes: modesOf(config), configOptions: configOptions(config) }
  }

  async function publishConfig(): Promise<void> {
    const config = await readConfig(session, await models())
    send({ sessionUpdate: "config_option_update", configOptions: configOptions(config) })
  }

  async function publishCommands(): Promise<void> {
    const rows = await session.ask({ type: "commands" })
    const availableCommands = rows.map(({ name, about, takes }) => ({
      name,
      description: about === "" ? name : about,
      ...(takes !== "" && { input: { hint: takes } }),
    }))
    const text = JSON.stringify(availableCommands)
    if (text === commands) return
    commands = text
    send({ sessionUpdate: "available_commands_update", availableCommands })
  }

  function onEvent(event: Event): void {
    if (event.type === "entry") last = event.cursor
    updates.onEvent(event)
    questions.onEvent(event)
    if (event.type === "state_change") states.onState(event.state)
    if (event.type === "servers_change") void publishCommands()
    // After the updates: whoever waits for a prompt has everything that came of it.
    prompts.onEvent(event)
  }

  async function publish(): Promise<void> {
    let count = 0
    for await (const event of events) {
      onEvent(event)
      if (++count % eventsBeforeWaiting === 0) await parts.written()
    }
    const why = parts.ended?.()
    if (why !== undefined) say(`The session has ended here: ${why}`)
    questions.close()
    prompts.end()
  }

  return {
    id: session.id,
    prompt: prompts.prompt,
    cancel: () => void session.submit({ type: "interrupt", withdraw: "editor" }),
    config: configNow,
    async setOption(id, value) {
      const done = await setOption(session, id, value, await readConfig(session, await models()))
      if (!done.ok) return failed(rpcError("params", done.failure))
      return ok({ configOptions: configOptions(await readConfig(session, await models())) })
    },
    async replay() {
      updates.replay(onPath(await entriesUpTo(session, last)))
      await parts.written()
    },
    start() {
      if (isStarted) return
      isStarted = true
      void publish()
      void publishCommands()
      for (const text of parts.notes)
        if (client.session?.notices !== undefined) send({ sessionUpdate: "notice", severity: "warning", title: text })
      // What was asked before the session was opened here is asked again, under the same id.
      void session.ask({ type: "questions" }).then((open) => open.forEach(questions.ask))
      void session.ask({ type: "state" }).then(states.onState)
    },
    async close() {
      questions.close()
      await parts.close()
      prompts.end()
    },
  }
}

/** What the editor knows of the session's state, and what it is told when that changes. */
function openStates({
  send,
  factsOf,
  changed,
}: {
  readonly send: (update: JsonObject) => void
  readonly factsOf: OpenedSession["factsOf"]
  readonly changed: () => Promise<void>
}): { readonly onState: (state: SessionState) => void } {
  let known: SessionState | undefined
  return {
    onState(state) {
      const before = known
      known = state
      if (before && before.mode !== state.mode)
        send({ sessionUpdate: "current_mode_update", currentModeId: state.mode })
      const isSame =
        before === undefined ||
        (before.mode === state.mode &&
          before.model === state.model &&
          JSON.stringify(before.thinking) === JSON.stringify(state.thinking))
      if (!isSame) void changed()
      const isUsed = state.contextTokens > 0 || state.costUsd > 0
      if (isUsed && (before?.contextTokens !== state.contextTokens || before.costUsd !== state.costUsd))
        send({
          sessionUpdate: "usage_update",
          used: state.contextTokens,
          size: factsOf(state.model).window,
          cost: { amount: state.costUsd, currency: "USD" },
        })
    },
  }
}

async function entriesUpTo(session: Session, last: Cursor | "beginning"): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  if (last === "beginning") return entries
  for await (const event of session.events("beginning")) {
    if (event.type === "entry") entries.push(event.entry)
    if (event.cursor === last) break
  }
  return entries
}

/** Without what was rewound: only entries that the last one follows from. */
function onPath(entries: readonly Entry[]): readonly Entry[] {
  const parents = new Map(entries.map(({ uuid, parentUuid }) => [uuid, parentUuid]))
  const path = new Set<string>()
  for (let at = entries.at(-1)?.uuid ?? null; at !== null && !path.has(at); at = parents.get(at) ?? null) path.add(at)
  return entries.filter(({ uuid }) => path.has(uuid))
}
