/** A conversation on a screen: events come in, frames go out, keys become ops. */

import { later } from "#lib/later.ts"
import { openLastAnswer } from "#faces/view/last-answer.ts"
import { type Acting, openActing } from "./acting.ts"
import { type Drawing, openDrawing } from "./drawing.ts"
import { press } from "./editor/editor.ts"
import { type Effect, note } from "./effect.ts"
import { batchMs, openFollowing } from "./follow.ts"
import { openInput } from "./input.ts"
import { openKeys } from "./keys.ts"
import { openScene, type Scene } from "./scene.ts"
import { dim } from "./screen/style.ts"
import { wrapped } from "./screen/width.ts"
import type { TuiContext } from "./outcome.ts"
import type { SessionMirror } from "./session-mirror.ts"
import type { Stage } from "./stage.ts"
import type { TuiState } from "./state.ts"
import type { Tui, TuiRun } from "./tui-run.ts"

export function runTui(run: TuiRun): Tui {
  const { terminal, clock } = run
  // Whatever draws or acts may be asked to by what it is made of.
  const ahead = {
    stage: later<Stage>("The stage"),
    context: later<() => TuiContext>("The context"),
    act: later<(effect: Effect) => void>("What effects do"),
  }
  const act = (effect: Effect): void => ahead.act.get()(effect)
  const drawing = openDrawing(run, ahead.stage)
  const { screen, pace, paint, draw, safely, fail, crash, left, attention } = drawing
  const scene = openScene(run, drawing, { ...ahead, act })
  const { here, context, stage, panels, pager, status, statusLine } = scene
  const answer = openLastAnswer({ copy: terminal.copy, note: (text, level) => act(note(text, level)) })
  const acting = openActing(run, drawing, scene, { act: ahead.act, answer })
  const { follow, showNextQuestion } = openFollowing({
    run,
    here,
    stage,
    attention,
    pace,
    answer: { onEvent: (event) => [answer, pager, statusLine].forEach((one) => one.onEvent(event)) },
    recall: acting.outside.recall,
    onTurnEnd: status.onTurnEnd,
    around: context,
    act,
  })
  const { carryOut } = acting
  const parts = { stage, panels, pager, here, around: context, carryOut, showNextQuestion, draw, terminal, screen }
  const keys = openKeys({ clock, onKey: openInput(parts) })
  const stopListening = listenToEditor(run, scene, drawing, act)

  terminal.open({
    onInput: safely(screen.reading(keys.push)),
    onResize: safely(paint),
    onReady: safely(paint),
    onResume: safely(() => {
      screen.forget()
      paint()
    }),
    onEnd: () => left.resolve("SIGHUP"),
  })
  screen.askBackground()
  const ended = untilLeft(run, drawing, scene, acting, { follow, stopListening })
  return { leave: left.resolve, fail, ended: ended.finally(stage.close).then(crash) }
}

async function untilLeft(
  run: TuiRun,
  { left, fail, safely, crash }: Drawing,
  { here, stage, panels, pager, statusLine }: Scene,
  { outside, handsOver }: Acting,
  { follow, stopListening }: { readonly follow: () => Promise<void>; readonly stopListening: (() => void) | undefined },
): Promise<void> {
  const followed = follow().then(() => left.resolve(undefined), fail)
  const cause = await left.promise
  stopListening?.()
  for (const part of [outside, panels, pager, statusLine]) part.close()
  const continues = handsOver() || run.about.isShared === true
  if (continues) {
    // How this process lets go of it is not part of the conversation.
    safely(() => stage.farewell(handsOver() ? [] : farewellWords(run, here), "continues"))()
    stage.close()
  }
  await run.session.close(handsOver() ? "handing over" : cause)
  await followed
  if (!crash() && !continues) safely(() => stage.farewell(farewellWords(run, here), "ends"))()
}

/** Returns how to stop. */
const listenToEditor = (
  { beside }: TuiRun,
  { stage }: Scene,
  { pace }: Drawing,
  act: (effect: Effect) => void,
): (() => void) | undefined =>
  beside?.listen({
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

function farewellWords({ session, about, startedAs, terminal }: TuiRun, here: SessionMirror): readonly string[] {
  if (about.logPath === undefined || here.state().turns === 0) return []
  const command = `${startedAs} --resume ${session.id}`
  const { columns } = terminal.size()
  const lead = about.isShared === true ? "Open it again with:" : "Resume with:"
  const line = `${lead} ${command}`
  const rows = line.length <= columns ? [line] : [lead, ...wrapped(command, columns)]
  return ["", ...rows.map(dim)]
}

/** At the cursor, as if it were pasted, apart from what is typed. */
function withMention(state: TuiState, text: string): TuiState {
  const { text: typed, at } = state.editor.buffer
  const before = at === 0 || /\s$/.test(typed.slice(0, at)) ? "" : " "
  return { ...state, editor: press(state.editor, { kind: "paste", text: `${before}${text} ` }) ?? state.editor }
}
