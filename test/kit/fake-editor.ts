/** An editor with an extension that agents in terminals can connect to, in the shapes of the published ones: a lock file and MCP over a WebSocket. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { ServerWebSocket } from "bun"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"

export interface FakeEditor extends Disposable {
  readonly port: number
  readonly lockFile: string
  /** Tells everyone connected what is selected: lines count from 0, as in the protocol. */
  readonly select: (path: string, from: number, to: number, text: string) => void
  /** A file is in front, without a selection. */
  readonly opens: (path: string) => void
  readonly mention: (path: string, from?: number, to?: number) => void
  readonly tabs: (paths: readonly string[]) => void
  readonly problems: (all: readonly Problem[]) => void
  /** Sends this as it is. */
  readonly send: (data: string | Uint8Array) => void
  /** Diffs that wait for the user, by tab. */
  readonly diffs: () => readonly OpenDiff[]
  /** Waits for one, or for there to be none. */
  readonly diff: () => Promise<OpenDiff>
  readonly noDiff: () => Promise<void>
  /** The calls of tools, in order, without those that only look. */
  readonly called: () => readonly string[]
  readonly opened: () => readonly string[]
  /** The window is closed without a word. */
  readonly dies: () => void
  /** The window is closed by the user: what waits is rejected first, as extensions do. */
  readonly quits: () => void
  /** How many were ever connected. */
  readonly everConnected: () => number
}

export interface Problem {
  readonly path: string
  readonly line: number
  readonly message: string
  readonly severity?: string
}

export interface OpenDiff {
  readonly path: string
  readonly tab: string
  readonly text: string
  /** Saves it, perhaps with other text. */
  readonly save: (text?: string) => void
  readonly reject: () => void
  /** The tab is closed, which some extensions tell apart from rejecting. */
  readonly closes: () => void
}

export interface EditorChoice {
  readonly name?: string
  readonly folders: readonly string[]
  /** What is in the lock file, if it is not what the editor checks. */
  readonly lockedToken?: string
  readonly lock?: JsonObject
  /** `hangs`: it answers nothing after the handshake of the socket. */
  readonly manner?: "hangs"
}

const looking = ["getDiagnostics", "getOpenEditors", "getCurrentSelection"]

/** `folder`: where lock files are. */
export function openFakeEditor(folder: string, choice: EditorChoice): FakeEditor {
  const token = "0123456789abcdef0123456789abcdef"
  const sockets = new Set<ServerWebSocket<unknown>>()
  const waiting = new Map<string, OpenDiff>()
  const called: string[] = []
  const opened: string[] = []
  let selected: JsonObject = { success: false, message: "No active editor found" }
  let tabs: readonly string[] = []
  let ever = 0
  let problems: readonly Problem[] = []
  let news = Promise.withResolvers<void>()
  const tell = (): void => {
    news.resolve()
    news = Promise.withResolvers()
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, own) {
      if (request.headers.get("x-claude-code-ide-authorization") !== token) return new Response("", { status: 401 })
      return own.upgrade(request) ? undefined : new Response("", { status: 400 })
    },
    websocket: {
      open(socket) {
        ever++
        sockets.add(socket)
      },
      close: (socket) => void sockets.delete(socket),
      message(socket, data) {
        const { id, method, params } = objectIn(String(data)) ?? {}
        if (choice.manner === "hangs" || id === undefined || typeof method !== "string") return
        answer(socket, id, method, isObject(params) ? params : {})
      },
    },
  })

  function answer(socket: ServerWebSocket<unknown>, id: JsonValue, method: string, params: JsonObject): void {
    const reply = (result: JsonObject): void => void socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }))
    if (method === "initialize")
      return reply({ protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "fake" } })
    if (method === "tools/list") return reply({ tools: [] })
    const say = (...texts: readonly string[]): void => reply({ content: texts.map((text) => ({ type: "text", text })) })
    const tool = String(params.name)
    const input = isObject(params.arguments) ? params.arguments : {}
    if (!looking.includes(tool)) called.push(tool)
    switch (tool) {
      case "getCurrentSelection":
        return say(JSON.stringify(selected))
      case "getOpenEditors":
        return say(JSON.stringify({ tabs: tabs.map((path) => ({ uri: pathToFileURL(path).href, fileName: path })) }))
      case "getDiagnostics":
        return say(JSON.stringify(problems.map(diagnosticOf)))
      case "openFile":
        opened.push(String(input.filePath))
        return say(`Opened file: ${String(input.filePath)}`)
      case "openDiff":
        return openDiff(input, say)
      case "close_tab": {
        const tab = String(input.tab_name)
        waiting.get(tab)?.reject()
        return say("TAB_CLOSED")
      }
    }
  }

  function openDiff(input: JsonObject, say: (...texts: readonly string[]) => void): void {
    const tab = String(input.tab_name)
    const over = (...texts: readonly string[]): void => {
      waiting.delete(tab)
      tell()
      say(...texts)
    }
    const text = String(input.new_file_contents)
    waiting.set(tab, {
      path: String(input.new_file_path),
      tab,
      text,
      // An editor ends the last line.
      save: (edited = text) => over("FILE_SAVED", edited.endsWith("\n") ? edited : `${edited}\n`),
      reject: () => over("DIFF_REJECTED", tab),
      closes: () => over("TAB_CLOSED"),
    })
    tell()
  }

  const notify = (method: string, params: JsonObject): void => {
    for (const socket of sockets) socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }))
  }
  const selecting = (path: string, text: string, start: JsonObject, end: JsonObject): void => {
    const selection = { start, end, isEmpty: text === "" }
    selected = { success: true, text, filePath: path, fileUrl: pathToFileURL(path).href, selection }
    notify("selection_changed", selected)
  }

  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const port = server.port ?? 0
  const lockFile = join(folder, `${port}.lock`)
  const lock = {
    pid: process.pid,
    workspaceFolders: [...choice.folders],
    ideName: choice.name ?? "Neovim",
    transport: "ws",
    authToken: choice.lockedToken ?? token,
    ...choice.lock,
  }
  writeFileSync(lockFile, JSON.stringify(lock), { mode: 0o600 })

  function close(): void {
    rmSync(lockFile, { force: true })
    void server.stop(true)
  }

  async function until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const value = found()
      if (value !== undefined) return value
      await news.promise
    }
  }

  return {
    port,
    lockFile,
    select: (path, from, to, text) => selecting(path, text, { line: from, character: 0 }, { line: to, character: 5 }),
    opens: (path) => selecting(path, "", { line: 0, character: 0 }, { line: 0, character: 0 }),
    mention: (filePath, lineStart, lineEnd) =>
      notify("at_mentioned", { filePath, ...(lineStart !== undefined && { lineStart, lineEnd: lineEnd ?? null }) }),
    tabs: (paths) => void (tabs = paths),
    problems: (all) => void (problems = all),
    send: (data) => sockets.forEach((socket) => void socket.send(data)),
    diffs: () => [...waiting.values()],
    diff: () => until(() => [...waiting.values()][0]),
    noDiff: () => until(() => (waiting.size === 0 ? null : undefined)).then(() => {}),
    called: () => called,
    opened: () => opened,
    dies: close,
    quits() {
      waiting.forEach((diff) => diff.reject())
      close()
    },
    everConnected: () => ever,
    [Symbol.dispose]: close,
  }
}

const diagnosticOf = ({ path, line, message, severity = "Error" }: Problem): JsonObject => ({
  uri: pathToFileURL(path).href,
  diagnostics: [{ message, severity, range: { start: { line, character: 0 }, end: { line, character: 1 } } }],
})
