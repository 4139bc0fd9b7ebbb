/** What a client sends, decoded. Unknown fields are left alone, because the protocol grows; null counts as absent. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import {
  array,
  boolean,
  decoded,
  int,
  object,
  omittable,
  type Read,
  type Readable,
  type Shaped,
  string,
} from "#lib/shape.ts"
import { type RpcError, rpcError } from "#lib/json-rpc.ts"

type NamedFields = Parameters<typeof object>[0]

/** Only the named fields are read. */
function fields<F extends NamedFields>(named: F): Readable<Shaped<F>> {
  const strict = object(named)
  const names = Object.keys(named)
  const known = (value: JsonObject): JsonObject =>
    Object.fromEntries(names.flatMap((name) => (nothing(value[name]) ? [] : [[name, value[name] ?? null]])))
  return {
    json: strict.json,
    presence: "required",
    read: (value, path) => strict.read(isObject(value) ? known(value) : value, path),
  }
}

const nothing = (value: JsonValue | undefined): boolean => value === undefined || value === null

/** One of several objects, told apart by `tag`; the one called `usual` has none. */
function kinds<T>(tag: string, known: { readonly [kind: string]: Readable<T> }, usual?: string): Readable<T> {
  return {
    json: {},
    presence: "required",
    read(value, path): Read<T> {
      const kind = isObject(value) ? (value[tag] ?? usual) : undefined
      const found = typeof kind === "string" && Object.hasOwn(known, kind) ? known[kind] : undefined
      if (found) return found.read(value, path)
      return { ok: false, complaints: [`Field \`${path}.${tag}\` must be one of ${Object.keys(known).join(", ")}.`] }
    },
  }
}

const present = decoded("an object", (value) => (isObject(value) ? value : undefined))
const flag = omittable(boolean())

export interface ClientCapabilities {
  readonly fs?: { readonly readTextFile?: boolean; readonly writeTextFile?: boolean }
  readonly terminal?: boolean
  readonly session?: { readonly compaction?: JsonObject; readonly notices?: JsonObject }
  readonly auth?: { readonly terminal?: boolean }
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject }
  readonly _meta?: JsonObject
}

const capabilities: Readable<ClientCapabilities> = fields({
  fs: omittable(fields({ readTextFile: flag, writeTextFile: flag })),
  terminal: flag,
  session: omittable(fields({ compaction: omittable(present), notices: omittable(present) })),
  auth: omittable(fields({ terminal: flag })),
  elicitation: omittable(fields({ form: omittable(present), url: omittable(present) })),
  _meta: omittable(present),
})

export const initializeParams: Readable<{
  readonly protocolVersion: number
  readonly clientCapabilities?: ClientCapabilities
}> = fields({ protocolVersion: int(), clientCapabilities: omittable(capabilities) })

const pair = fields({ name: string(), value: string() })
const remote = { name: string(), url: string(), headers: omittable(array(pair)) }

export type NamedServer = { readonly name: string; readonly config: JsonObject }

/** As in a configuration file. */
const server: Readable<NamedServer> = kinds<NamedServer>(
  "type",
  {
    stdio: mapped(
      fields({
        name: string(),
        command: string(),
        args: omittable(array(string())),
        env: omittable(array(pair)),
      }),
      ({ name, command, args = [], env = [] }) => ({ name, config: { command, args, env: record(env) } }),
    ),
    http: mapped(fields(remote), ({ name, url, headers = [] }) => ({
      name,
      config: { type: "http", url, headers: record(headers) },
    })),
    sse: mapped(fields(remote), ({ name, url, headers = [] }) => ({
      name,
      config: { type: "sse", url, headers: record(headers) },
    })),
  },
  "stdio",
)

const record = (pairs: readonly { readonly name: string; readonly value: string }[]): JsonObject =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]))

function mapped<T, U>(readable: Readable<T>, change: (value: T) => U): Readable<U> {
  return {
    ...readable,
    read(value, path) {
      const read = readable.read(value, path)
      return read.ok ? { ok: true, value: change(read.value) } : read
    },
  }
}

export interface SessionPlaceParams {
  readonly cwd: string
  readonly additionalDirectories?: readonly string[]
  readonly mcpServers?: readonly NamedServer[]
}

const place = {
  cwd: string().min(1),
  additionalDirectories: omittable(array(string())),
  mcpServers: omittable(array(server)),
}

interface OfSession {
  readonly sessionId: string
}

export const newParams: Readable<SessionPlaceParams> = fields(place)
export const knownSessionParams: Readable<OfSession & SessionPlaceParams> = fields({ sessionId: string(), ...place })
export const sessionParams: Readable<OfSession> = fields({ sessionId: string() })
export const listParams: Readable<{ readonly cwd?: string; readonly cursor?: string }> = fields({
  cwd: omittable(string()),
  cursor: omittable(string()),
})
export const modeParams: Readable<OfSession & { readonly modeId: string }> = fields({
  sessionId: string(),
  modeId: string(),
})
export const optionParams: Readable<OfSession & { readonly configId: string; readonly value: string }> = fields({
  sessionId: string(),
  configId: string(),
  value: string(),
})
export const authenticateParams: Readable<{ readonly methodId: string }> = fields({ methodId: string() })

export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string }
  | { readonly type: "text_resource"; readonly uri: string; readonly text: string }
  | { readonly type: "blob_resource"; readonly uri: string; readonly blob: string; readonly mimeType: string }

const textResource = mapped(fields({ uri: string(), text: string() }), (read): ContentBlock => ({
  type: "text_resource",
  ...read,
}))
const blobResource = mapped(
  fields({ uri: string(), blob: string(), mimeType: omittable(string()) }),
  ({ uri, blob, mimeType = "application/octet-stream" }): ContentBlock => ({
    type: "blob_resource",
    uri,
    blob,
    mimeType,
  }),
)
const resource: Readable<ContentBlock> = {
  json: {},
  presence: "required",
  read: (value, path) => (isObject(value) && "blob" in value ? blobResource : textResource).read(value, path),
}

const block: Readable<ContentBlock> = kinds<ContentBlock>("type", {
  text: mapped(fields({ text: string() }), (read) => ({ type: "text", ...read })),
  image: mapped(fields({ data: string(), mimeType: string() }), (read) => ({ type: "image", ...read })),
  resource_link: mapped(fields({ uri: string(), name: string() }), (read) => ({ type: "resource_link", ...read })),
  resource: mapped(fields({ resource }), (read) => read.resource),
})

export const promptParams: Readable<OfSession & { readonly prompt: readonly ContentBlock[] }> = fields({
  sessionId: string(),
  prompt: array(block),
})

/** Of the client's answers. */
export const permissionAnswer: Readable<{
  readonly outcome: { readonly outcome: string; readonly optionId?: string }
}> = fields({ outcome: fields({ outcome: string(), optionId: omittable(string()) }) })
export const elicitationAnswer: Readable<{ readonly action: string; readonly content?: JsonObject }> = fields({
  action: string(),
  content: omittable(present),
})
export const fileAnswer: Readable<{ readonly content: string }> = fields({ content: string() })

export function readParams<T>(shape: Readable<T>, params: JsonObject): Result<T, RpcError> {
  const read = shape.read(params, "")
  return read.ok ? ok(read.value) : failed(rpcError("params", read.complaints.join(" ")))
}
