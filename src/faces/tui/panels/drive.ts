/** Open panels, one over the other: loads what they show, runs what is chosen, and tells when the last one is closed. */

import { fullText } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { never } from "#lib/never.ts"
import { rowAt } from "./draw.ts"
import { panelSize } from "./place.ts"
import {
  clickPanel,
  openPanelState,
  type PanelOutcome,
  type PanelDefinition,
  type PanelState,
  type PanelCommand,
  type PanelPressed,
  pointedRow,
  pressPanel,
  type TextDefinition,
  withRows,
} from "./panel.ts"

export interface PanelDriver<T> {
  readonly press: (key: Key) => void
  /** On the line of the drawn panel. */
  readonly click: (line: number) => void
  /** Undefined if no panel is open. */
  readonly shown: () => PanelState<T> | undefined
  readonly close: () => void
}

export interface PanelHost<T> {
  readonly clock: Clock
  readonly size: () => Size
  readonly redraw: () => void
  /** Without a result, nothing was chosen. */
  readonly closed: (result: T | undefined) => void
}

export function drivePanels<T>(first: PanelDefinition<T>, host: PanelHost<T>): PanelDriver<T> {
  const { clock, redraw, closed } = host
  let stack: readonly PanelState<T>[] = []
  let taking: AbortController | undefined
  let watched: { readonly definition: PanelDefinition<T>; readonly stop: () => void } | undefined

  const top = (): PanelState<T> | undefined => stack.at(-1)
  const setTop = (state: PanelState<T> | undefined): void => {
    if (state) stack = [...stack.slice(0, -1), state]
  }

  const { load, preview, giveUp } = openLoader({ top, setTop, redraw })

  function open(definition: PanelDefinition<T>): void {
    stack = [...stack, openPanelState(definition, clock.now(), stack.length > 0)]
    watchTop()
    void load()
    redraw()
  }

  /** Only the top panel is visible, so only it is watched. */
  function watchTop(): void {
    const definition = top()?.definition
    if (watched?.definition === definition) return
    watched?.stop()
    const stop = definition && watching(definition, { load, follow: settle })
    watched = definition && stop && { definition, stop }
  }

  async function runOutcome(run: (signal: AbortSignal) => Promise<PanelOutcome<T>>): Promise<void> {
    // A second press while the first is under way means the same.
    if (taking) return
    const own = new AbortController()
    taking = own
    setTop(waiting(top()))
    const outcome = await run(own.signal)
    if (own.signal.aborted) return
    taking = undefined
    follow(outcome)
  }

  /** What happened without the user settles what was being taken. */
  function settle(outcome: PanelOutcome<T>): void {
    taking?.abort()
    taking = undefined
    follow(outcome)
  }

  function follow(outcome: PanelOutcome<T>): void {
    switch (outcome.kind) {
      case "closes":
        return end(outcome.result)
      case "opens":
        return open(outcome.panel)
      case "goes back":
        stack = outcome.to === "first" ? stack.slice(0, 1) : stack.slice(0, -1)
        return again(outcome.note, clock.now())
      case "stays":
        // Without a note there is nothing new to read before the next key.
        return again(outcome.note, outcome.note === undefined ? undefined : clock.now())
      default:
        never(outcome)
    }
  }

  function again(note: string | undefined, shownAt: number | undefined): void {
    const state = top()
    if (!state) return end(undefined)
    watchTop()
    setTop({ ...state, note, ...optional("shownAt", shownAt) })
    redraw()
    void load()
  }

  function leave(): void {
    wasLeft(top())
    stack = stack.slice(0, -1)
    giveUp()
    taking?.abort()
    taking = undefined
    if (stack.length === 0) return end(undefined)
    watchTop()
    // What is watched may have become another meanwhile.
    if (watched) void load()
    redraw()
  }

  function end(result: T | undefined): void {
    stack = []
    watchTop()
    giveUp()
    taking?.abort()
    closed(result)
    redraw()
  }

  function wished(wish: PanelCommand<T>): void {
    switch (wish.kind) {
      case "load":
        return void load()
      case "preview":
        return void preview()
      case "run":
        return void runOutcome(wish.run)
      case "leave":
        return leave()
      default:
        never(wish)
    }
  }

  function pressed(press: (state: PanelState<T>) => PanelPressed<T>): void {
    const state = top()
    if (!state) return
    const next = press(state)
    setTop(next.state)
    if (next.wish) wished(next.wish)
  }

  open(first)
  return {
    shown: top,
    press: (key) => pressed((state) => pressPanel(state, key, clock.now(), host.size())),
    click: (line) => pressed((state) => clickPanel(state, rowAt(state, panelSize(host.size()), line))),
    close() {
      if (stack.length > 0) end(undefined)
    },
  }
}

function wasLeft<T>(state: PanelState<T> | undefined): void {
  if (state?.kind === "list") state.definition.left?.()
  if (state?.kind === "line") state.definition.left?.(fullText(state.editor))
}

/** Returns what ends it; undefined if there is nothing to watch. */
function watching<T>(
  definition: PanelDefinition<T>,
  { load, follow }: { readonly load: () => Promise<void>; readonly follow: (outcome: PanelOutcome<T>) => void },
): (() => void) | undefined {
  if (definition.kind !== "line") return definition.watch?.(() => void load())
  const own = new AbortController()
  void definition.meanwhile?.(own.signal).then((outcome) => {
    if (outcome && !own.signal.aborted) follow(outcome)
  })
  return definition.meanwhile && (() => own.abort())
}

const waiting = <T>(state: PanelState<T> | undefined): PanelState<T> | undefined =>
  state?.kind === "line" && state.definition.waits !== undefined ? { ...state, note: state.definition.waits } : state

/** Only the latest load is waited for. */
function openLoader<T>({
  top,
  setTop,
  redraw,
}: {
  readonly top: () => PanelState<T> | undefined
  readonly setTop: (state: PanelState<T>) => void
  readonly redraw: () => void
}): { readonly load: () => Promise<void>; readonly preview: () => Promise<void>; readonly giveUp: () => void } {
  let loading = new AbortController()

  async function load(): Promise<void> {
    const state = top()
    if (state?.kind === "text") return loadText(state.definition)
    if (state?.kind !== "list") return
    const { signal } = renewed()
    const { definition, query } = state
    const rows = await definition.load(query, signal)
    const now = top()
    if (signal.aborted || now?.kind !== "list" || now.definition !== definition) return
    setTop("why" in rows ? { ...withRows(now, []), note: rows.why } : withRows(now, rows))
    redraw()
    await preview()
  }

  async function loadText(definition: TextDefinition<T>): Promise<void> {
    const { signal } = renewed()
    const page = await definition.load(signal)
    const now = top()
    if (signal.aborted || now?.kind !== "text" || now.definition !== definition) return
    setTop({ ...now, page })
    redraw()
  }

  async function preview(): Promise<void> {
    const state = top()
    if (state?.kind !== "list") return
    const row = pointedRow(state)
    if (row) state.definition.points?.(row)
    if (!row || !state.definition.preview) return
    const { signal } = renewed()
    const drawn = await state.definition.preview(row, signal)
    const now = top()
    if (signal.aborted || now?.kind !== "list" || pointedRow(now)?.key !== row.key) return
    setTop({ ...now, preview: drawn })
    redraw()
  }

  function renewed(): AbortController {
    loading.abort()
    loading = new AbortController()
    return loading
  }

  return { load, preview, giveUp: () => loading.abort() }
}
