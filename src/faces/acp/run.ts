/** The Agent Client Protocol over lines: an editor opens sessions, and everything about them goes through one connection. See decision 123. */

import type { InputLine } from "#lib/input-lines.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import { openEditorSession, type EditorSession, type OpenedSession } from "./editor-session.ts"
import {
  authenticateParams,
  type ClientCapabilities,
  initializeParams,
  knownSessionParams,
  listParams,
  modeParams,
  newParams,
  optionParams,
  promptParams,
  readParams,
  sessionParams,
  type SessionPlaceParams,
} from "./params.ts"
import {
  type CallAnswer,
  type IncomingCall,
  openRpc,
  refuse,
  type RequestId,
  type Rpc,
  type RpcError,
  type RpcMethods,
  serveRpc,
} from "#lib/json-rpc.ts"
import type { Readable } from "#lib/shape.ts"

export interface SessionRequest extends SessionPlaceParams {
  /** Of the editor's request, for what is asked before there is a session. */
  readonly requestId: RequestId
  /** A new one when absent. */
  readonly from?: { readonly id: string; readonly as: "itself" | "copy" }
}

/** `no_model`: nothing is configured that could answer. */
export type OpenFailure = { readonly kind: "no_model" | "not_found" | "error"; readonly message: string }

export interface ListedSession {
  readonly id: string
  readonly cwd: string
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
}

/** What the program does for the connection. */
export interface AcpRun {
  readonly input: AsyncIterable<InputLine>
  readonly send: (text: string) => void
  readonly written: () => Promise<void>
  readonly open: (request: SessionRequest, client: ClientLink) => Promise<Result<OpenedSession, OpenFailure>>
  /** Newest first; `from` counts those before. */
  readonly list: (which: {
    readonly cwd?: string
    readonly from: number
    readonly most: number
  }) => Promise<Result<readonly ListedSession[], string>>
  readonly remove: (id: string) => Promise<Result<void, string>>
  /** Why no model can be used; undefined if one can. */
  readonly missingModel: () => Promise<string | undefined>
  /** The process is told to stop. */
  readonly stop: AbortSignal
  readonly version: string
  /** The program and its arguments with which a user logs in. */
  readonly login: readonly [command: string, ...args: string[]]
  readonly ids: Ids
}

/** What an open session may ask of the editor. */
export interface ClientLink {
  readonly rpc: Pick<Rpc, "request">
  readonly client: ClientCapabilities
}

const pageSize = 50

const withdrawing = { method: "$/cancel_request", answers: "also withdrawn" } as const

/** Resolves when the editor has closed its end, or the process is told to stop; nothing is left open then. */
export async function runAcp(run: AcpRun): Promise<void> {
  const rpc = openRpc(run.send, withdrawing)
  await serveRpc(rpc, { ...run, ...openConnection(run, rpc) })
}

interface EditorConnection {
  readonly methods: RpcMethods
  readonly close: () => Promise<void>
}

function openConnection(run: AcpRun, rpc: Rpc): EditorConnection {
  const sessions = new Map<string, EditorSession>()
  const opening = new Set<Promise<unknown>>()
  let client: ClientCapabilities = {}
  let isOver = false

  async function open(request: SessionRequest, how: "new" | "load" | "resume"): Promise<Result<CallAnswer, RpcError>> {
    const there = request.from?.as === "itself" ? sessions.get(request.from.id) : undefined
    const session = there ? ok(there) : await opened(request)
    if (!session.ok) return session
    if (how === "load") await session.value.replay()
    const config = await session.value.config()
    return ok({
      result: how === "new" ? { sessionId: session.value.id, ...config } : config,
      afterwards: session.value.start,
    })
  }

  async function opened(request: SessionRequest): Promise<Result<EditorSession, RpcError>> {
    if (!request.cwd.startsWith("/")) return refuse("params", `cwd must be an absolute path, not '${request.cwd}'.`)
    const under = run.open(request, { rpc, client })
    opening.add(under)
    const came = await under.finally(() => opening.delete(under))
    if (!came.ok)
      return refuse(
        came.failure.kind === "no_model" ? "authRequired" : came.failure.kind === "not_found" ? "notFound" : "internal",
        came.failure.message,
      )
    const session = await openEditorSession({ ...came.value, rpc, client, written: run.written, ids: run.ids })
    if (isOver) await session.close()
    else sessions.set(session.id, session)
    return ok(session)
  }

  async function withSession(
    id: string,
    use: (session: EditorSession) => Promise<Result<JsonObject, RpcError>>,
  ): Promise<Result<CallAnswer, RpcError>> {
    const session = sessions.get(id)
    if (!session) return refuse("notFound", `Session ${id} is not open. Use session/load or session/resume first.`)
    const came = await use(session)
    return came.ok ? answer(came.value) : came
  }

  const place = ({ cwd, additionalDirectories = [], mcpServers = [] }: SessionPlaceParams, { id }: IncomingCall) => ({
    requestId: id,
    cwd,
    additionalDirectories,
    mcpServers,
  })

  const requests: RpcMethods["requests"] = {
    initialize: reading(initializeParams, async ({ clientCapabilities = {} }) => {
      client = clientCapabilities
      return answer(introduction(client, run))
    }),
    authenticate: reading(authenticateParams, async () => {
      const missing = await run.missingModel()
      return missing === undefined ? answer({}) : refuse("authRequired", missing)
    }),
    "session/new": reading(newParams, (params, call) => open(place(params, call), "new")),
    "session/load": reading(knownSessionParams, ({ sessionId, ...params }, call) =>
      open({ ...place(params, call), from: { id: sessionId, as: "itself" } }, "load"),
    ),
    "session/resume": reading(knownSessionParams, ({ sessionId, ...params }, call) =>
      open({ ...place(params, call), from: { id: sessionId, as: "itself" } }, "resume"),
    ),
    "session/fork": reading(knownSessionParams, ({ sessionId, ...params }, call) =>
      open({ ...place(params, call), from: { id: sessionId, as: "copy" } }, "new"),
    ),
    "session/list": reading(listParams, ({ cwd, cursor }) => list(run, cwd, cursor)),
    "session/close": reading(sessionParams, ({ sessionId }) =>
      withSession(sessionId, async (session) => {
        sessions.delete(sessionId)
        await session.close()
        return ok({})
      }),
    ),
    "session/delete": reading(sessionParams, async ({ sessionId }) => {
      const session = sessions.get(sessionId)
      sessions.delete(sessionId)
      await session?.close()
      const removed = await run.remove(sessionId)
      return removed.ok ? answer({}) : refuse("notFound", removed.failure)
    }),
    "session/set_mode": reading(modeParams, ({ sessionId, modeId }) =>
      withSession(sessionId, async (session) => {
        const set = await session.setOption("mode", modeId)
        return set.ok ? ok({}) : set
      }),
    ),
    "session/set_config_option": reading(optionParams, ({ sessionId, configId, value }) =>
      withSession(sessionId, (session) => session.setOption(configId, value)),
    ),
    "session/prompt": reading(promptParams, ({ sessionId, prompt }, call) =>
      withSession(sessionId, (session) => session.prompt(prompt, call)),
    ),
  }

  return {
    methods: {
      requests,
      notifications: {
        "session/cancel"(params) {
          const read = readParams(sessionParams, params)
          if (read.ok) sessions.get(read.value.sessionId)?.cancel()
        },
      },
    },
    async close() {
      isOver = true
      await Promise.allSettled(opening)
      await Promise.allSettled([...sessions.values()].map((session) => session.close()))
    },
  }
}

const answer = (result: JsonObject): Result<CallAnswer, RpcError> => ok({ result })

const reading =
  <T>(
    shape: Readable<T>,
    use: (params: T, call: IncomingCall) => Promise<Result<CallAnswer, RpcError>>,
  ): RpcMethods["requests"][string] =>
  (call) => {
    const read = readParams(shape, call.params)
    return read.ok ? use(read.value, call) : Promise.resolve(read)
  }

async function list(
  run: Pick<AcpRun, "list">,
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<Result<CallAnswer, RpcError>> {
  const from = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isSafeInteger(from) || from < 0) return refuse("params", "The cursor is not one of ours.")
  const rows = await run.list({ ...(cwd !== undefined && { cwd }), from, most: pageSize + 1 })
  if (!rows.ok) return refuse("internal", rows.failure)
  const page = rows.value.slice(0, pageSize)
  return answer({
    sessions: page.map(({ id, cwd: folder, title, changedAt }) => ({
      sessionId: id,
      cwd: folder,
      title,
      updatedAt: new Date(changedAt).toISOString(),
    })),
    ...(rows.value.length > pageSize && { nextCursor: String(from + pageSize) }),
  })
}

/** What we can do, and how to log in. */
function introduction(client: ClientCapabilities, { version, login }: Pick<AcpRun, "version" | "login">): JsonObject {
  return {
    protocolVersion: 1,
    agentInfo: { name: "codewright", title: "Codewright", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
    },
    authMethods: [
      {
        id: "configured",
        name: "Use the configured model",
        description: "A key from the environment, the settings, or codewright login",
      },
      ...terminalLogin(client, login),
    ],
  }
}

/** Only for editors that can run it. Those from before the field `auth` say so elsewhere, and want the whole command there. */
function terminalLogin(
  { auth, _meta: extensions }: ClientCapabilities,
  [command, ...args]: AcpRun["login"],
): readonly JsonObject[] {
  const isOlder = extensions?.[olderLogin] === true
  if (auth?.terminal !== true && !isOlder) return []
  return [
    {
      type: "terminal",
      id: "login",
      name: "Log in",
      description: "Choose a provider and save a key",
      args: ["login"],
      ...(isOlder && { _meta: { [olderLogin]: { command, args, label: "Codewright: log in" } } }),
    },
  ]
}

const olderLogin = "terminal-auth"
