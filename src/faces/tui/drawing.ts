/** The screen in its theme, when it is painted, and what happens when that fails. */

import type { InterruptCause } from "#agent/words/interruption.ts"
import { basename } from "node:path"
import { type Deferred, deferred } from "#lib/deferred.ts"
import type { Later } from "#lib/later.ts"
import { type Attention, openAttention } from "./attention.ts"
import { openPace, type Pace } from "./pace.ts"
import { openRescue, type Rescue } from "./rescue.ts"
import type { Stage } from "./stage.ts"
import { openThemedScreen, type ThemedScreen } from "./themed-screen.ts"
import type { TuiRun } from "./tui-run.ts"

export interface Drawing extends Rescue {
  readonly screen: ThemedScreen
  readonly pace: Pace
  readonly paint: () => void
  /** All keys of one input make one frame. */
  readonly draw: () => void
  readonly attention: Attention
  /** Resolved when the conversation leaves the screen. */
  readonly left: Deferred<InterruptCause | undefined>
}

export function openDrawing(run: TuiRun, stage: Later<Stage>): Drawing {
  const { terminal, clock } = run
  const left = deferred<InterruptCause | undefined>()
  const paint = (): void => stage.get().paint()
  const screen = openThemedScreen({ terminal, clock, theme: run.theme, paint })
  const rescue = openRescue(() => {
    stage.get().giveBack()
    left.resolve(undefined)
  })
  return {
    ...rescue,
    screen,
    paint,
    left,
    pace: openPace(clock, rescue.safely(paint)),
    draw: () => queueMicrotask(rescue.safely(paint)),
    attention: openAttention(terminal, run.title ?? basename(run.about.cwd), run.notifications),
  }
}
