/** A running language server: the documents it has, and what it says about them. */

import { extname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { connectServer, type RpcFailure, type ServerConnection, type ServerProcess } from "./connection.ts"
import { type Documents, openDocuments } from "./documents.ts"
import { type Problem, uriOf } from "./protocol.ts"
import type { LanguageServer } from "./server-config.ts"

export interface LanguageClient {
  /** Gives it the text of a file as it is now. */
  readonly sync: (path: string, text: string) => void
  readonly forget: (path: string) => void
  /** Resolves when it has answered for every text it was given, or is gone; never rejects. */
  readonly checked: (signal: AbortSignal) => Promise<void>
  /** What it said last about a file; undefined if nothing since the file was given to it. */
  readonly problems: (path: string) => readonly Problem[] | undefined
  readonly supports: (feature: string) => boolean
  readonly ask: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result<JsonValue, RpcFailure>>
  readonly closed: Promise<string>
  readonly close: () => Promise<void>
}

export interface ClientParts {
  readonly server: LanguageServer
  readonly root: string
  readonly version: string
  readonly clock: Clock
}

const startMs = 60_000

/** Starts the conversation with a server; a sentence if it does not answer. */
export async function openLanguageClient(
  child: ServerProcess,
  parts: ClientParts,
  signal: AbortSignal,
): Promise<Result<LanguageClient, string>> {
  const { server, root, clock } = parts
  let features: JsonObject = {}
  /** Features that it registered later, by the ids of their registrations. */
  const registered = new Map<string, string>()
  const supports = (feature: string): boolean => {
    const said = features[feature]
    return (said !== undefined && said !== null && said !== false) || [...registered.values()].includes(feature)
  }
  const documents = later<Documents>("The documents of a server")
  const connection: ServerConnection = connectServer(
    child,
    {
      onNotification(method, params) {
        if (method === "textDocument/publishDiagnostics") documents.get().published(params)
      },
      onRequest: (method, params) =>
        answerTo(method, params, { ...parts, registered, refresh: () => documents.get().stale() }),
    },
    clock,
  )
  documents.settle(
    openDocuments({
      connection,
      clock,
      languageOf: (path) => server.languages[extname(path).toLowerCase()] ?? "plaintext",
      pulls: () => supports("diagnosticProvider"),
    }),
  )
  const late = new AbortController()
  const cancel = clock.after(startMs, () => late.abort())
  const answer = await connection.request("initialize", initializeParams(parts), AbortSignal.any([signal, late.signal]))
  cancel()
  if (!answer.ok) {
    void connection.close()
    return failed(startWords(answer.failure, late.signal.aborted))
  }
  const said = isObject(answer.value) ? answer.value.capabilities : undefined
  features = isObject(said) ? said : {}
  connection.notify("initialized", {})
  if (server.settings) connection.notify("workspace/didChangeConfiguration", { settings: server.settings })
  const { sync, forget, checked, problems } = documents.get()
  return ok({
    sync,
    forget,
    checked,
    problems,
    supports,
    ask: connection.request,
    closed: connection.closed,
    close: connection.close,
  })

  function startWords(failure: RpcFailure, isLate: boolean): string {
    if (failure.kind === "aborted") return isLate ? `it did not answer within ${startMs / 1000} s` : "it was stopped"
    return failure.message === "" ? `it refused to start in ${root}` : failure.message
  }
}

function initializeParams({ server, root, version }: ClientParts): JsonObject {
  const rootUri = uriOf(root)
  return {
    // Servers end themselves when they see no process of this number, and a confined one sees none of ours.
    processId: null,
    clientInfo: { name: "codewright", version },
    rootUri,
    rootPath: root,
    workspaceFolders: [{ uri: rootUri, name: root.slice(root.lastIndexOf("/") + 1) || root }],
    capabilities,
    ...optional("initializationOptions", server.initializationOptions),
  }
}

const capabilities: JsonObject = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: {},
    symbol: {},
    workspaceEdit: { documentChanges: true },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: {},
  },
}

interface HostParts extends ClientParts {
  readonly registered: Map<string, string>
  /** What it said about documents may not count any more. */
  readonly refresh: () => void
}

function answerTo(method: string, params: JsonValue, parts: HostParts): JsonValue | undefined {
  const namedParams = isObject(params) ? params : {}
  switch (method) {
    case "workspace/configuration":
      return (Array.isArray(namedParams.items) ? namedParams.items : [])
        .slice(0, 100)
        .map((item: JsonValue) => sectionOf(parts.server.settings, isObject(item) ? item.section : undefined))
    case "workspace/workspaceFolders":
      return [{ uri: uriOf(parts.root), name: parts.root.slice(parts.root.lastIndexOf("/") + 1) || parts.root }]
    case "client/registerCapability":
      for (const one of Array.isArray(namedParams.registrations) ? namedParams.registrations.slice(0, 200) : [])
        if (isObject(one) && typeof one.id === "string" && one.method === "textDocument/diagnostic")
          parts.registered.set(one.id, "diagnosticProvider")
      parts.refresh()
      return null
    case "client/unregisterCapability":
      // The misspelled name is the protocol's.
      for (const one of Array.isArray(namedParams.unregisterations) ? namedParams.unregisterations.slice(0, 200) : [])
        if (isObject(one) && typeof one.id === "string") parts.registered.delete(one.id)
      return null
    case "workspace/diagnostic/refresh":
      parts.refresh()
      return null
    case "workspace/applyEdit":
      // Files are changed only by calls that were decided on.
      return { applied: false, failureReason: "This client changes no files for a server." }
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
    case "workspace/semanticTokens/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/codeLens/refresh":
      return null
    default:
      return undefined
  }
}

function sectionOf(settings: JsonObject | undefined, section: JsonValue | undefined): JsonValue {
  if (typeof section !== "string" || section === "") return settings ?? null
  let value: JsonValue | undefined = settings
  for (const name of section.split(".")) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value ?? null
}
