/** Whatever keys come in whatever order, the face goes on: nothing throws, and the cursor stays in the text. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { emptyEditor, fullText, replaced } from "#faces/tui/editor/editor.ts"
import { newVim } from "#faces/tui/editor/vim-state.ts"
import { liveFrame } from "#faces/tui/frame.ts"
import { actions } from "#faces/tui/keymap.ts"
import type { Key } from "#faces/tui/keys.ts"
import type { TuiContext } from "#faces/tui/outcome.ts"
import { panelNames } from "#faces/tui/panels/ports.ts"
import { pressKey } from "#faces/tui/press.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import { emptyState, type TuiState } from "#faces/tui/state.ts"
import { paperState } from "../../../kit/paper-session.ts"

const around: TuiContext = {
  session: paperState,
  now: 0,
  agents: 0,
  columns: 40,
  rows: 20,
  offers: new Set([...panelNames, "pictures", "editor"]),
  modeCycle: [],
  sessionCommands: [],
}
const entry = { uuid: "u", parentUuid: null, at: 0, kind: "turn_start", turnId: "t" } as const
const working = reduce(emptyView, { type: "entry", entry })

const names = [...new Set(actions.flatMap(({ keys }) => keys.flatMap((written) => written.split(" "))))]
const key: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...names, "tab", "f12", "super+c").map((name): Key => ({ kind: "key", name })),
  fc
    .constantFrom("!", "#", "?", "/", "/he", "@", "@src", "\\", "日本", "👨‍👩‍👧", " ")
    .map((text): Key => ({ kind: "text", text })),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }).map((text): Key => ({ kind: "text", text })),
  fc.constantFrom("/a.png", "two\nlines", "x\n".repeat(30)).map((text): Key => ({ kind: "paste", text })),
)

test.each(["plain", "vim"] as const)("%s keys", (mode) => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 50 }), fc.boolean(), (keys, works) => {
      let state: TuiState = {
        ...emptyState,
        view: works ? working : emptyView,
        editor: { ...emptyEditor, vim: mode === "vim" ? newVim : undefined },
      }
      for (const pressed of keys) {
        const before = state.editor
        const outcome = pressKey(state, pressed, around)
        const { at, text } = outcome.state.editor.buffer
        expect(at >= 0 && at <= text.length && text.slice(0, at).isWellFormed()).toBe(true)
        // Nothing that was written is lost without being kept, sent or put away: undo, history and stash bring it back.
        const remembered = outcome.effects.filter((effect) => effect.kind === "remember").length
        if (text === "" && before.buffer.text !== "" && remembered === 0)
          expect(
            outcome.state.editor.undo.length > 0 ||
              outcome.state.stash !== undefined ||
              outcome.state.editor.history.back > 0 ||
              before.history.back > 0 ||
              outcome.state.editor.redo.length > 0 ||
              fullText(before).trim() === "",
          ).toBe(true)
        state = outcome.state
      }
      const { live } = liveFrame(
        state,
        {
          session: paperState,
          window: 1,
          levels: { warning: 1 },
          branch: undefined,
          background: 0,
          sandbox: "off",
          verbs: [],
        },
        { columns: 40, rows: 20 },
        0,
      )
      expect(live.length).toBeLessThan(20)
    }),
    { numRuns: 300 },
  )
})

test("ctrl+b moves whatever runs and can be moved, a command or an agent, and moves the cursor otherwise", () => {
  const pressed = (movable: boolean): ReturnType<typeof pressKey> => {
    const call = { uuid: "r", parentUuid: null, at: 0, kind: "reply", messageId: "m", model: "x", usage } as const
    const block = { type: "tool_use", id: "c", name: "Task", input: {} } as const
    const made = reduce(working, { type: "entry", entry: { ...call, block } })
    const start = { type: "tool_start", callId: "c", tool: "Task", title: "Explore it" } as const
    const view = reduce(made, movable ? { ...start, movable: true } : start)
    return pressKey({ ...emptyState, view }, { kind: "key", name: "ctrl+b" }, around)
  }
  expect(pressed(true).effects).toEqual([
    { kind: "submit", op: { type: "background" } },
    { kind: "use", name: "to-background" },
  ])
  expect(pressed(false).effects).toEqual([])
})

const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

test("Ctrl+C again quits, unless text came back to the prompt meanwhile", () => {
  const controlC = { kind: "key", name: "ctrl+c" } as const
  const first = pressKey(emptyState, controlC, around).state
  expect(pressKey(first, controlC, around).effects).toEqual([{ kind: "leave" }])
  const back = { ...first, editor: replaced(first.editor, "queued") }
  const second = pressKey(back, controlC, around)
  expect(second.state.editor.buffer.text).toBe("")
  expect(second.effects).toEqual([{ kind: "remember", line: "queued" }])
})
