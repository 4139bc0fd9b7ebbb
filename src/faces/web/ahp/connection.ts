/** One client of the host: what it asks for, and what it is answered. */

import { openRpc, type RpcMethods } from "#lib/json-rpc.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { ok } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import { dispatchAction } from "./dispatch.ts"
import { channelOf, protocolVersions } from "./names.ts"
import { createSession, disposeSession, listSessions } from "./sessions.ts"
import { type AhpConnection, type AhpSocket, refused, type RpcAnswer, type Shared } from "./shared.ts"
import { openSubscriptions, type Subscriptions } from "./subscriptions.ts"

type AhpRequests = { readonly [method: string]: (params: JsonObject, who: TokenOwner) => Promise<RpcAnswer> }

/** What is known of a client once it has said who it is. */
interface ConnectedClient {
  id: string | undefined
}

export function openConnection(socket: AhpSocket, shared: Shared): AhpConnection {
  const client: ConnectedClient = { id: undefined }
  const rpc = openRpc((text) => socket.send(text.trimEnd()), { method: "$/cancelRequest", answers: "also withdrawn" })
  const subscriptions = openSubscriptions(shared, rpc.notify)
  const requests: AhpRequests = {
    ...openings(client, shared, subscriptions),
    listSessions: (params, who) => listSessions(shared, params, who),
    createSession: (params, who) => createSession(shared, params, who),
    disposeSession: (params, who) => disposeSession(shared, params, who),
    ...plainAnswers,
  }

  /** Whoever has no valid token any more is let go of. */
  async function asked(method: string, params: JsonObject): Promise<RpcAnswer> {
    const who = await socket.who()
    if (!who) {
      socket.end(notValid)
      return refused("permissionDenied", notValid, {})
    }
    if (client.id === undefined && method !== "initialize" && method !== "reconnect")
      return refused("invalidParams", "Send initialize first.")
    return requests[method]?.(params, who) ?? refused("methodNotFound", `Unknown method: ${method}`)
  }

  async function dispatched({ channel: uri, clientSeq, action }: JsonObject): Promise<void> {
    const who = await socket.who()
    if (!who) return socket.end(notValid)
    const channel = channelOf(String(uri))
    // The protocol wants silence about channels that do not exist.
    if (client.id === undefined || typeof clientSeq !== "number" || !isObject(action) || !channel) return
    const origin = { clientId: client.id, clientSeq }
    const reject = (rejectionReason: string): void =>
      subscriptions.deliver({ channel: String(uri), action, serverSeq: shared.nextSeq(), origin, rejectionReason })
    if (channel.kind !== "chat") return reject(`Codewright does not support ${String(action["type"])}.`)
    const session = await shared.follow(channel.sessionId, who)
    if (!session) return
    const why = await dispatchAction(action, { shared, session, who, origin, shown: subscriptions.shown })
    if (why !== undefined) reject(why)
    shared.leave(channel.sessionId)
  }

  // A prompt and the interruption after it are one wish, and the second must not be first.
  let before: Promise<void> = Promise.resolve()

  const methods: RpcMethods = {
    requests: {
      ping: () => Promise.resolve(ok({ result: null })),
      ...Object.fromEntries(
        Object.keys(requests).map((method) => [
          method,
          ({ params }: { readonly params: JsonObject }) => asked(method, params),
        ]),
      ),
    },
    notifications: {
      unsubscribe: ({ channel }) => subscriptions.remove(String(channel)),
      dispatchAction: (params) => void (before = before.then(() => dispatched(params)).catch(shared.failed)),
    },
  }

  return {
    receive: (text) => rpc.receive({ kind: "line", text }, methods),
    close() {
      subscriptions.close()
      rpc.end()
    },
  }
}

const notValid = "The token is not valid any more."

/** How a client comes, comes back, and begins to follow something. */
function openings(client: ConnectedClient, shared: Shared, subscriptions: Subscriptions): AhpRequests {
  const snapshotAnswer = (result: JsonObject, channels: readonly string[]): RpcAnswer =>
    ok({ result, afterwards: () => subscriptions.release(channels) })

  async function snapshots(channels: readonly string[], who: TokenOwner): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = []
    for (const channel of channels) {
      const snapshot = await subscriptions.add(channel, who)
      if (snapshot) found.push(snapshot)
    }
    return found
  }

  return {
    async initialize({ clientId, protocolVersions: clientVersions, initialSubscriptions }, who) {
      const offered = textsIn(clientVersions)
      const protocolVersion = offered.find((each) => protocolVersions.includes(each))
      if (typeof clientId !== "string" || clientId === "") return refused("invalidParams", "clientId must be a string.")
      if (protocolVersion === undefined)
        return refused(
          "unsupportedVersion",
          `This server speaks ${protocolVersions.join(", ")} of the Agent Host Protocol, not ${offered.join(", ")}.`,
          { supportedVersions: [...protocolVersions] },
        )
      client.id = clientId
      shared.known.add(knownAs(clientId, who))
      const channels = textsIn(initialSubscriptions)
      const found = await snapshots(channels, who)
      const serverInfo = { name: "codewright", version: shared.version, title: "Codewright" }
      return snapshotAnswer({ protocolVersion, serverSeq: shared.seq(), serverInfo, snapshots: found }, channels)
    },
    async reconnect({ clientId, lastSeenServerSeq, subscriptions: requested }, who) {
      if (typeof clientId !== "string" || typeof lastSeenServerSeq !== "number")
        return refused("invalidParams", "clientId must be a string and lastSeenServerSeq a number.")
      const wanted = textsIn(requested)
      const wasHere = shared.known.has(knownAs(clientId, who))
      client.id = clientId
      shared.known.add(knownAs(clientId, who))
      const found = await snapshots(wanted, who)
      const followed = new Set(found.map(({ resource }) => String(resource)))
      const missed = wasHere ? shared.after(lastSeenServerSeq, [...followed].flatMap(sessionIdIn)) : undefined
      if (!missed) return snapshotAnswer({ type: "snapshot", snapshots: found }, wanted)
      const actions = missed.filter(({ channel }) => followed.has(channel))
      for (const { action } of actions) subscriptions.note(action)
      subscriptions.discard(wanted)
      const missing = wanted.filter((each) => !followed.has(each))
      // Envelopes are plain data.
      return snapshotAnswer({ type: "replay", actions: actions as unknown as JsonObject[], missing }, wanted)
    },
    async subscribe({ channel: uri }, who) {
      const channel = String(uri)
      const snapshot = await subscriptions.add(channel, who)
      return snapshot
        ? snapshotAnswer({ snapshot }, [channel])
        : refused("notFound", `There is no channel ${channel} for this token.`)
    },
  }
}

function sessionIdIn(uri: string): readonly string[] {
  const channel = channelOf(uri)
  return channel && channel.kind !== "root" ? [channel.sessionId] : []
}

const always =
  (answer: RpcAnswer): AhpRequests[string] =>
  () =>
    Promise.resolve(answer)

const noFiles = "This server gives clients no files. Sessions read and write them under their own rules."
const noTokens = "This server takes its own token when the connection is opened, and no tokens of other services."

const fileMethods = ["Read", "Write", "List", "Copy", "Delete", "Move", "Resolve", "Mkdir", "Request"]
const missingMethods = ["createChat", "disposeChat", "createTerminal", "disposeTerminal", "invokeChangesetOperation"]

/** What is the same for everybody. All turns are in every snapshot, so there are no older ones to fetch. */
const plainAnswers: AhpRequests = {
  fetchTurns: always(ok({ result: {} })),
  completions: always(ok({ result: { items: [] } })),
  resolveSessionConfig: always(ok({ result: { schema: { type: "object", properties: {} }, values: {} } })),
  sessionConfigCompletions: always(ok({ result: { items: [] } })),
  authenticate: always(refused("permissionDenied", noTokens, {})),
  createResourceWatch: always(refused("permissionDenied", noFiles, {})),
  ...Object.fromEntries(
    fileMethods.map((each) => [`resource${each}`, always(refused("permissionDenied", noFiles, {}))]),
  ),
  ...Object.fromEntries(
    missingMethods.map((each) => [each, always(refused("methodNotFound", `Codewright has no ${each}.`))]),
  ),
}

const knownAs = (clientId: string, { name }: TokenOwner): string => JSON.stringify([name, clientId])

const textsIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []
