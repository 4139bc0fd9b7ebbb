/** A conversation on a screen: events come in, frames go out, keys become ops. */

import { basename } from "node:path"
import type { Event } from "#agent/words/event.ts"
import { deferred } from "#lib/deferred.ts"
import { later } from "#lib/later.ts"
import { openLastAnswer } from "#faces/view/last-answer.ts"
import { openAttention } from "./attention.ts"
import { completedAgain } from "./complete.ts"
import { openDressedScreen } from "./dressed.ts"
import { newVim } from "./editor/vim-state.ts"
import { openEffects } from "./effects.ts"
import { type Effect, note } from "./effect.ts"
import { batchMs, openFollowing } from "./follow.ts"
import { type Here, openHere } from "./here.ts"
import { type Key, openKeys } from "./keys.ts"
import { offersOf, openOutside } from "./outside.ts"
import { openModeCycle } from "./mode-cycle.ts"
import { openPace } from "./pace.ts"
import { openPager } from "./pager/pager.ts"
import { openPanelHost } from "./panels/host.ts"
import { isOverQuestions } from "./panels/panel.ts"
import type { TuiContext, TuiOutcome } from "./outcome.ts"
import { pressKey } from "./press.ts"
import { openRescue } from "./rescue.ts"
import { sentOnceRead } from "./send.ts"
import { dim } from "./screen/style.ts"
import { wrapped } from "./screen/width.ts"
import { openStatusLine, type StatusLine } from "./status-line.ts"
import { openStage, type Stage } from "./stage.ts"
import { emptyState, type Status, type TuiState } from "./state.ts"
import type { Tui, TuiRun } from "./tui-run.ts"

export function runTui(run: TuiRun): Tui {
  const { session, terminal, clock, factsOf, branch, about } = run
  const left = deferred<void>()
  // Whatever draws or acts may be asked to by what it is made of.
  const ahead = { stage: later<Stage>("The stage"), act: later<(effect: Effect) => void>("What effects do") }
  const paint = (): void => ahead.stage.get().paint()
  const act = (effect: Effect): void => ahead.act.get()(effect)
  const screen = openDressedScreen({ terminal, clock, theme: run.theme, paint })
  const { safely, fail, crash } = openRescue(() => {
    ahead.stage.get().giveBack()
    left.resolve()
  })
  const pace = openPace(clock, safely(paint))
  /** All keys of one input make one frame. */
  const draw = (): void => queueMicrotask(safely(paint))
  const attention = openAttention(terminal, run.title ?? basename(about.cwd), run.notifications)
  const here = openHere(session, run.state, (what) => {
    if (what === "commands") ahead.stage.get().change((state) => completedAgain(state, around()))
    pace.within(batchMs)
  })
  const answer = openLastAnswer({ copy: terminal.copy, tell: (text, level) => act(note(text, level)) })
  const statusLine = openOwnLine(run, safely(paint), act)
  const panels = openPanelHost({
    ports: run.panels,
    clock,
    size: terminal.size,
    redraw: draw,
    around: () => ({ model: here.state().model, mode: here.state().mode, theme: screen.theme(), wear: screen.wear }),
    act,
    closed: () => ahead.stage.get().change((state) => withQuietDialog(state, clock.now())),
  })
  const pager = openPager({ session, about, terminal, screen, pace, state: () => ahead.stage.get().state() })
  const shown = { screen, attention, pace, clock, root: about.cwd, status, panel: panels.shown, pager }
  const stage = openStage({ first: firstState(run), terminal, ...shown })
  ahead.stage.settle(stage)
  const outside = openOutside({
    ports: run,
    session,
    panels: run.panels,
    lend: stage.lend,
    tell(effect) {
      act(effect)
      paint()
    },
    change(next) {
      stage.change(next)
      const sent = sentOnceRead(stage.state(), around())
      if (sent) take(sent)
      paint()
    },
  })
  const hands = { session, here, stage, screen, panels, outside, answer, terminal, clock }
  const also = { openPager: pager.open, resume: run.panels.sessions?.open }
  ahead.act.settle(openEffects({ ...hands, ...also, draw, fail, left }))
  let currentBranch = branch()
  const onTurnEnd = (): void => void (currentBranch = branch())
  const hear = (event: Event): void => [answer, pager, statusLine].forEach((one) => one.hear(event))
  const told = { here, stage, attention, pace, answer: { hear }, recall: outside.recall, onTurnEnd, around, act }
  const { follow, showNextQuestion } = openFollowing({ run, ...told })
  const offers = offersOf(run.panels, run)
  const keys = openKeys({ clock, onKey })
  const modes = openModeCycle(about.modeCycle)

  function onResume(): void {
    screen.forget()
    paint()
  }

  function status(): Status {
    const now = here.state()
    const polled = { background: here.background(), team: here.team(), sandbox: here.sandbox() }
    const known = { session: now, window: factsOf(now.model).window, branch: currentBranch }
    return {
      ...known,
      custom: statusLine.rows(known),
      levels: run.levelsOf(now.model),
      ...polled,
      verbs: run.verbs ?? [],
    }
  }

  function onKey(key: Key): void {
    if (pager.isOpen()) return pager.press(key)
    if ((!stage.state().dialog || isOverQuestions(panels.shown())) && panels.press(key)) return draw()
    take(pressKey(stage.state(), key, around()))
    showNextQuestion()
    if (stage.state().completion) here.refresh("commands")
    draw()
  }

  function take({ state, effects }: TuiOutcome): void {
    stage.change(() => state)
    for (const effect of effects) act(effect)
  }

  function around(): TuiContext {
    const { columns, rows } = terminal.size()
    const at = { session: here.state(), now: clock.now(), columns, rows, offers, sessionCommands: here.commands() }
    return { ...at, modeCycle: modes(at.session.mode, here.team() !== null) }
  }

  async function untilLeft(): Promise<void> {
    const followed = follow().then(left.resolve, fail)
    await left.promise
    for (const part of [outside, panels, pager, statusLine]) part.close()
    await session.close()
    await followed
    if (!crash()) safely(() => stage.farewell(farewellWords(run, here)))()
  }

  terminal.open({
    onInput: safely(screen.reading(keys.take)),
    onResize: safely(paint),
    onReady: safely(paint),
    onResume: safely(onResume),
    onEnd: left.resolve,
  })
  screen.askBackground()
  return { leave: left.resolve, fail, ended: untilLeft().finally(stage.close).then(crash) }
}

const openOwnLine = (run: TuiRun, redraw: () => void, act: (effect: Effect) => void): StatusLine =>
  openStatusLine({ port: run.statusLine, clock: run.clock, redraw, tell: (text) => act(note(text, "error")) })

function farewellWords({ session, about, startedAs, terminal }: TuiRun, here: Here): readonly string[] {
  if (about.logPath === undefined || here.state().turns === 0) return []
  const command = `${startedAs} --resume ${session.id}`
  const { columns } = terminal.size()
  const line = `Resume with: ${command}`
  const rows = line.length <= columns ? [line] : ["Resume with:", ...wrapped(command, columns)]
  return ["", ...rows.map(dim)]
}

/** A key meant for a panel must not answer the question below it. */
const withQuietDialog = (state: TuiState, now: number): TuiState =>
  state.dialog ? { ...state, dialog: { ...state.dialog, quietSince: now } } : state

const firstState = ({ keymap, editorMode }: TuiRun): TuiState => ({
  ...emptyState,
  keymap: keymap ?? emptyState.keymap,
  editor: { ...emptyState.editor, vim: editorMode === "vim" ? newVim : undefined },
})
