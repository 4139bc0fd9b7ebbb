/** The editor that a session in the terminal is connected to: what the user sees there, and what it can be asked for. */

import { connectEditor, type EditorConnection } from "#ground/editors/connection.ts"
import { depthIn, findEditors, type FoundEditor } from "#ground/editors/lock-files.ts"
import {
  type EditorMention,
  type EditorProblem,
  type EditorSelection,
  mentionIn,
  problemsIn,
  selectionIn,
  tabsIn,
} from "#ground/editors/messages.ts"
import { openLocalSocket } from "#ground/network/local-socket.ts"
import type { EditorView } from "#kits/context/editor.ts"
import type { Clock } from "#lib/clock.ts"
import { type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface EditorLink {
  /** Editors that have this folder open, the closest workspace first. */
  readonly found: () => readonly FoundEditor[]
  /** The one whose workspace is closest; several if they are equally close. */
  readonly closest: () => readonly FoundEditor[]
  readonly all: () => readonly FoundEditor[]
  readonly connected: () => FoundEditor | undefined
  readonly selection: () => EditorSelection | undefined
  /** Ends the connection to another editor, if there is one. The failure is a phrase. */
  readonly connect: (editor: FoundEditor) => Promise<Result<void, string>>
  /** Returns the editor that was connected. */
  readonly disconnect: () => FoundEditor | undefined
  readonly call: EditorConnection["call"]
  /** As above, for what takes only a moment: a hung editor fails. */
  readonly ask: (tool: string, input: JsonObject) => Promise<Result<readonly string[], string>>
  /** What the user has open there; undefined while nothing is connected. */
  readonly view: (signal: AbortSignal) => Promise<EditorView | undefined>
}

export interface LinkParts {
  /** Where editors write their lock files. */
  readonly folder: string
  readonly cwd: string
  readonly clock: Clock
  readonly listener: LinkListener
}

export interface LinkListener {
  /** What is selected, or whether an editor is connected, has changed. */
  readonly changed: () => void
  readonly connected: () => void
  readonly mentioned: (mention: EditorMention) => void
  /** The editor ended the connection. */
  readonly lost: (editor: FoundEditor) => void
}

/** In the name of every diff that is shown in an editor. */
export const diffSign = "⧉"

/** An editor that is slower delays nothing: what it said last counts. */
const patienceMs = 300
/** Longer at the start, where nobody waits for it. */
const firstPatienceMs = 1_000
const askPatienceMs = 5_000

interface Linked {
  readonly editor: FoundEditor
  readonly connection: EditorConnection
  readonly selection: EditorSelection | undefined
  /** What was wrong when it was connected, which is told only of the file in front. */
  readonly before: ReadonlySet<string>
  readonly problems: readonly EditorProblem[]
  readonly tabs: readonly string[]
}

export function openEditorLink({ folder, cwd, clock, listener }: LinkParts): EditorLink {
  let linked: Linked | undefined
  const change = (next: Partial<Linked>): void => void (linked = linked && { ...linked, ...next })

  const hearMention = (params: JsonValue | undefined): void => {
    const mention = mentionIn(params)
    if (mention) listener.mentioned(mention)
  }

  async function connect(editor: FoundEditor): Promise<Result<void, string>> {
    disconnect()
    // Editors tell what is selected as soon as the connection stands.
    let said: EditorSelection | undefined
    const connected = await connectEditor(editor, {
      openSocket: openLocalSocket,
      clock,
      onNotification(method, params) {
        if (method === "at_mentioned") return hearMention(params)
        if (method !== "selection_changed") return
        const selected = selectionIn(params)
        // A diff that we opened came to the front: the user looks at our own text.
        if (selected?.path.includes(diffSign)) return
        said = selected
        if (linked?.editor !== editor) return
        change({ selection: said })
        listener.changed()
      },
    })
    if (!connected.ok) return connected
    const connection = connected.value
    linked = { editor, connection, selection: said, before: new Set(), problems: [], tabs: [] }
    void connection.closed.then(() => {
      if (linked?.connection !== connection) return
      linked = undefined
      listener.lost(editor)
    })
    await readInitialState(connection)
    listener.changed()
    listener.connected()
    return ok(undefined)
  }

  /** Once, after connecting: what was there before it could tell us. */
  async function readInitialState(connection: EditorConnection): Promise<void> {
    const [selected, problems] = await Promise.all([
      soon(connection, "getCurrentSelection"),
      soon(connection, "getDiagnostics"),
    ])
    if (linked?.connection !== connection) return
    change({ before: new Set(problemsIn(problems ?? "").map(keyOf)) })
    if (linked.selection === undefined && selected !== undefined) change({ selection: selectionIn(objectIn(selected)) })
  }

  /** Undefined if it fails or takes too long. */
  async function soon(connection: EditorConnection, tool: string, ms = firstPatienceMs): Promise<string | undefined> {
    const answer = await within(connection, ms, tool, {})
    return answer.ok ? answer.value[0] : undefined
  }

  async function within(
    connection: EditorConnection,
    ms: number,
    tool: string,
    input: JsonObject,
  ): Promise<Result<readonly string[], string>> {
    const over = new AbortController()
    const cancel = clock.after(ms, () => over.abort())
    const answer = await connection.call(tool, input, over.signal)
    cancel()
    return over.signal.aborted ? failed("the editor does not answer") : answer
  }

  function disconnect(): FoundEditor | undefined {
    const last = linked
    linked = undefined
    last?.connection.close()
    if (last) listener.changed()
    return last?.editor
  }

  const all = (): readonly FoundEditor[] => findEditors(folder)

  const byDepth = (): readonly { readonly editor: FoundEditor; readonly depth: number }[] =>
    all()
      .map((editor) => ({ editor, depth: depthIn(editor, cwd) }))
      .filter(({ depth }) => depth > 0)
      .toSorted((a, b) => b.depth - a.depth)

  return {
    all,
    found: () => byDepth().map(({ editor }) => editor),
    closest: () => {
      const [first, ...rest] = byDepth()
      return first ? [first, ...rest.filter(({ depth }) => depth === first.depth)].map(({ editor }) => editor) : []
    },
    connected: () => linked?.editor,
    selection: () => linked?.selection,
    connect,
    disconnect,
    call: async (tool, input, signal) => linked?.connection.call(tool, input, signal) ?? unconnected,
    ask: async (tool, input) => (linked ? within(linked.connection, askPatienceMs, tool, input) : unconnected),
    async view() {
      const connection = linked?.connection
      if (!connection) return undefined
      const [problems, tabs] = await Promise.all([
        soon(connection, "getDiagnostics", patienceMs),
        soon(connection, "getOpenEditors", patienceMs),
      ])
      if (linked?.connection !== connection) return undefined
      if (problems !== undefined) change({ problems: problemsIn(problems) })
      if (tabs !== undefined) change({ tabs: tabsIn(tabs) })
      return viewOf(linked)
    },
  }
}

const unconnected = failed("no editor is connected")

function viewOf({ selection, before, problems, tabs }: Linked): EditorView {
  const { path, lines, text } = selection ?? { text: "" }
  return {
    ...(path !== undefined && { openFile: path }),
    ...(path !== undefined && lines !== undefined && { selection: { path, ...lines, text } }),
    openTabs: tabs.filter((tab) => tab !== path),
    diagnostics: problems.filter(
      (problem) => problem.severity !== "info" && (problem.path === path || !before.has(keyOf(problem))),
    ),
  }
}

/** Without its line, which moves with every edit above it. */
const keyOf = ({ path, severity, message }: EditorProblem): string => JSON.stringify([path, severity, message])
