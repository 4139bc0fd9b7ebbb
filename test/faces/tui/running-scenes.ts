/** Scenes of the panel of all sessions. */

import type { Answer } from "#agent/words/question.ts"
import type { RunningPort, RunningRow } from "#faces/tui/panels/running-port.ts"
import { failed, ok } from "#lib/result.ts"
import type { PanelScene } from "./panel-scenes.ts"
import { permission } from "./scenes.ts"

/** What the paper's clock says at the beginning. */
const now = 1_000_000
const minute = 60_000

const row = (more: Partial<RunningRow> & Pick<RunningRow, "id" | "name" | "state">): RunningRow => ({
  place: "~/src/shop (main)",
  costUsd: 0,
  changedAt: now - 3 * minute,
  last: "Looking at the parser.",
  questions: [],
  ...more,
})

const runningRows: readonly RunningRow[] = [
  row({ id: "s1", name: "clean the build", state: "waiting", questions: [permission], last: "Bash npm test" }),
  row({ id: "s2", name: "fix the parser of dates", state: "working", costUsd: 0.31, changedAt: now }),
  row({ id: "s3", name: "this conversation", state: "open", isCurrent: true }),
  row({ id: "s4", name: "write the documentation of every exported function of the library", state: "failed" }),
  row({ id: "s5", name: "tour", state: "done", place: "~/src/a-rather-long-name-of-a-folder/packages/core (feature)" }),
]

export interface RunningActs {
  readonly port: RunningPort
  readonly acts: (readonly [act: string, id: string, answer?: Answer])[]
}

export function runningActs(rows: readonly RunningRow[] = runningRows): RunningActs {
  const acts: RunningActs["acts"] = []
  const does = (act: string) => async (id: string) => {
    acts.push([act, id])
    return ok(undefined)
  }
  return {
    acts,
    port: {
      list: async () => rows,
      log: async () =>
        ok("> fix the parser of dates\n\nI will look at the parser first.\n\n* Read src/dates.ts\n    40 lines"),
      async answer(id, _, answer) {
        acts.push(["answer", id, answer])
        return ok(undefined)
      },
      stop: does("stop"),
      resume: async () => failed("It is working already."),
      remove: does("remove"),
      watch: () => () => {},
    },
  }
}

const running = (...keys: readonly string[]): PanelScene => ({
  options: { panels: { running: runningActs().port } },
  async play(paper) {
    for (const part of ["/agents running\r", ...keys]) {
      await paper.type(part)
      await paper.pass(400)
    }
  },
})

const down = "\u001b[B"

export const runningScenes: { readonly [name: string]: PanelScene } = {
  "panel of running sessions": running(),
  "panel of running sessions, answering": running("a"),
  "panel of running sessions, yes with words": running("a", "\t", "and run the tests"),
  "panel of running sessions, what instead": running("a", `${down}${down}`, "\r", "use make clean"),
  "panel of running sessions, a log": running(down, "l"),
  "panel of running sessions, what cannot be": running(down, "r"),
}
