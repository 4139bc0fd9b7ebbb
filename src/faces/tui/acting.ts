/** What keys, panels and events come to: the state changes, and effects are carried out. */

import type { LastAnswer } from "#faces/view/last-answer.ts"
import type { Later } from "#lib/later.ts"
import { chosen } from "./choose.ts"
import { commandsOf } from "./commands.ts"
import type { Drawing } from "./drawing.ts"
import type { Effect } from "./effect.ts"
import { openEffects } from "./effects.ts"
import { type ExternalEffects, openOutside } from "./external-effects.ts"
import type { TuiOutcome } from "./outcome.ts"
import { palettePanel } from "./panels/palette.ts"
import type { Scene } from "./scene.ts"
import { sentOnceRead } from "./send.ts"
import type { TuiRun } from "./tui-run.ts"

export interface Acting {
  readonly act: (effect: Effect) => void
  readonly carryOut: (outcome: TuiOutcome) => void
  readonly outside: ExternalEffects
  /** Whether the session was sent to the background. */
  readonly handsOver: () => boolean
}

export function openActing(
  run: TuiRun,
  { screen, paint, draw, fail, left }: Drawing,
  { here, context, stage, panels, pager }: Scene,
  ahead: { readonly act: Later<(effect: Effect) => void>; readonly answer: Pick<LastAnswer, "copy"> },
): Acting {
  const { session, terminal, clock } = run
  let isHandedOver = false
  const act = (effect: Effect): void => ahead.act.get()(effect)

  function carryOut({ state, effects }: TuiOutcome): void {
    stage.change(() => state)
    for (const effect of effects) act(effect)
  }

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
      const sent = sentOnceRead(stage.state(), context())
      if (sent) carryOut(sent)
      paint()
    },
  })
  const effects = openEffects({
    session,
    here,
    stage,
    screen,
    panels,
    outside,
    answer: ahead.answer,
    terminal,
    clock,
    openPager: pager.open,
    openPalette() {
      const { keymap, uses } = stage.state()
      panels.show(palettePanel({ commands: commandsOf(context()), keymap, uses }))
    },
    choose: (choice) => carryOut(chosen(stage.state(), choice, context())),
    resume: run.panels.sessions?.open,
    isShared: run.about.isShared === true,
    background(prompt) {
      isHandedOver = true
      run.background?.(prompt)
    },
    draw,
    fail,
    left,
  })

  ahead.act.settle(effects)
  return { act, carryOut, outside, handsOver: () => isHandedOver }
}
