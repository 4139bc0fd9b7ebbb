/** A conversation on a screen: events come in, frames go out, keys become ops. */

import { basename } from "node:path"
import { deferred } from "#lib/deferred.ts"
import { later } from "#lib/later.ts"
import { openLastAnswer } from "#faces/view/last-answer.ts"
import { openAttention } from "./attention.ts"
import { chosen } from "./choose.ts"
import { commandsOf } from "./commands.ts"
import { completedAgain } from "./complete.ts"
import { openContext } from "./context.ts"
import { openThemedScreen } from "./themed-screen.ts"
import { press } from "./editor/editor.ts"
import { newVim } from "./editor/vim-state.ts"
import { openEffects } from "./effects.ts"
import { type Effect, note } from "./effect.ts"
import { batchMs, openFollowing } from "./follow.ts"
import { type SessionMirror, openHere } from "./session-mirror.ts"
import { openInput } from "./input.ts"
import { openKeys } from "./keys.ts"
import { openOutside } from "./external-effects.ts"
import { openPace } from "./pace.ts"
import { openPager } from "./pager/pager.ts"
import { openPanelHost } from "./panels/host.ts"
import { palettePanel } from "./panels/palette.ts"
import type { TuiContext, TuiOutcome } from "./outcome.ts"
import { hasSide } from "./parts/side-column.ts"
import { openRescue } from "./rescue.ts"
import { sentOnceRead } from "./send.ts"
import { dim } from "./screen/style.ts"
import { wrapped } from "./screen/width.ts"
import { openStatusLine, type StatusLine } from "./status-line.ts"
import { openStatus } from "./status.ts"
import { openStage, type Stage } from "./stage.ts"
import { emptyState, type TuiState } from "./state.ts"
import type { Tui, TuiRun } from "./tui-run.ts"

export function runTui(run: TuiRun): Tui {
  const { session, terminal, clock, about } = run
  const left = deferred<void>()
  let handsOver = false
  // Whatever draws or acts may be asked to by what it is made of.
  const ahead = { stage: later<Stage>("The stage"), act: later<(effect: Effect) => void>("What effects do") }
  const paint = (): void => ahead.stage.get().paint()
  const act = (effect: Effect): void => ahead.act.get()(effect)
  const screen = openThemedScreen({ terminal, clock, theme: run.theme, paint })
  const { safely, fail, crash } = openRescue(() => {
    ahead.stage.get().giveBack()
    left.resolve()
  })
  const pace = openPace(clock, safely(paint))
  /** All keys of one input make one frame. */
  const draw = (): void => queueMicrotask(safely(paint))
  const attention = openAttention(terminal, run.title ?? basename(about.cwd), run.notifications)
  const here = openHere(session, run.state, {
    now: clock.now,
    showsChanges: () => hasSide(ahead.stage.get().state(), terminal.size()),
    changed(what) {
      if (what === "commands") ahead.stage.get().change((state) => completedAgain(state, around()))
      pace.within(batchMs)
    },
  })
  const context = openContext(run, here)
  const answer = openLastAnswer({ copy: terminal.copy, note: (text, level) => act(note(text, level)) })
  const statusLine = openOwnLine(run, safely(paint), act)
  const status = openStatus(run, here, statusLine)
  const panels = openPanelHost({
    ports: run.panels,
    clock,
    size: terminal.size,
    redraw: draw,
    around: () => ({
      model: here.state().model,
      mode: here.state().mode,
      theme: screen.theme(),
      setTheme: screen.setTheme,
    }),
    act,
    closed: () => ahead.stage.get().change((state) => withQuietDialog(state, clock.now())),
  })
  const pager = openPager({ session, about, terminal, screen, pace, state: () => ahead.stage.get().state() })
  const stage = openStage({
    first: firstState(run),
    terminal,
    screen,
    attention,
    pace,
    clock,
    root: about.cwd,
    status: status.now,
    panel: panels.shown,
    pager,
    mouse: run.mouse ?? "off",
  })
  ahead.stage.settle(stage)
  const outside = openOutside({
    ports: run,
    session,
    panels: run.panels,
    lend: stage.lend,
    onEffect(effect) {
      act(effect)
      paint()
    },
    change(next) {
      stage.change(next)
      const sent = sentOnceRead(stage.state(), around())
      if (sent) carryOut(sent)
      paint()
    },
  })
  ahead.act.settle(
    openEffects({
      session,
      here,
      stage,
      screen,
      panels,
      outside,
      answer,
      terminal,
      clock,
      openPager: pager.open,
      openPalette() {
        const { keymap, uses } = stage.state()
        panels.show(palettePanel({ commands: commandsOf(around()), keymap, uses }))
      },
      choose: (choice) => carryOut(chosen(stage.state(), choice, around())),
      resume: run.panels.sessions?.open,
      isShared: run.about.isShared === true,
      background(prompt) {
        handsOver = true
        run.background?.(prompt)
      },
      draw,
      fail,
      left,
    }),
  )
  const { follow, showNextQuestion } = openFollowing({
    run,
    here,
    stage,
    attention,
    pace,
    answer: { onEvent: (event) => [answer, pager, statusLine].forEach((one) => one.onEvent(event)) },
    recall: outside.recall,
    onTurnEnd: status.onTurnEnd,
    around,
    act,
  })
  const onKey = openInput({ stage, panels, pager, here, around, carryOut, showNextQuestion, draw, terminal, screen })
  const keys = openKeys({ clock, onKey })
  const stopListening = run.beside?.listen({
    changed: () => pace.within(batchMs),
    mentioned(text) {
      stage.change((state) => withMention(state, text))
      pace.within(batchMs)
    },
    said(text) {
      act(note(text))
      pace.within(batchMs)
    },
  })

  function around(): TuiContext {
    return context()
  }

  function carryOut({ state, effects }: TuiOutcome): void {
    stage.change(() => state)
    for (const effect of effects) act(effect)
  }

  async function untilLeft(): Promise<void> {
    const followed = follow().then(left.resolve, fail)
    await left.promise
    stopListening?.()
    for (const part of [outside, panels, pager, statusLine]) part.close()
    if (handsOver) {
      // How this process lets go of it is not part of the conversation.
      safely(() => stage.farewell([]))()
      stage.close()
    }
    await session.close(handsOver ? "handing over" : undefined)
    await followed
    if (!crash() && !handsOver) safely(() => stage.farewell(farewellWords(run, here)))()
  }

  terminal.open({
    onInput: safely(screen.reading(keys.push)),
    onResize: safely(paint),
    onReady: safely(paint),
    onResume: safely(() => {
      screen.forget()
      paint()
    }),
    onEnd: left.resolve,
  })
  screen.askBackground()
  return { leave: left.resolve, fail, ended: untilLeft().finally(stage.close).then(crash) }
}

const openOwnLine = (run: TuiRun, redraw: () => void, act: (effect: Effect) => void): StatusLine =>
  openStatusLine({ port: run.statusLine, clock: run.clock, redraw, showError: (text) => act(note(text, "error")) })

function farewellWords({ session, about, startedAs, terminal }: TuiRun, here: SessionMirror): readonly string[] {
  if (about.logPath === undefined || here.state().turns === 0) return []
  const command = `${startedAs} --resume ${session.id}`
  const { columns } = terminal.size()
  const line = `Resume with: ${command}`
  const rows = line.length <= columns ? [line] : ["Resume with:", ...wrapped(command, columns)]
  return ["", ...rows.map(dim)]
}

/** At the cursor, as if it were pasted, apart from what is typed. */
function withMention(state: TuiState, text: string): TuiState {
  const { text: typed, at } = state.editor.buffer
  const before = at === 0 || /\s$/.test(typed.slice(0, at)) ? "" : " "
  return { ...state, editor: press(state.editor, { kind: "paste", text: `${before}${text} ` }) ?? state.editor }
}

/** A key meant for a panel must not answer the question below it. */
const withQuietDialog = (state: TuiState, now: number): TuiState =>
  state.dialog ? { ...state, dialog: { ...state.dialog, quietSince: now } } : state

const firstState = ({ keymap, editorMode, sideColumn = "shown" }: TuiRun): TuiState => ({
  ...emptyState,
  side: sideColumn,
  keymap: keymap ?? emptyState.keymap,
  editor: { ...emptyState.editor, vim: editorMode === "vim" ? newVim : undefined },
})
