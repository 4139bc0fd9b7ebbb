/** The list of sessions for the panel of a conversation, loaded when it is first shown. */

import type { RunningPort } from "#faces/tui/panels/running-port.ts"
import { lazily } from "#lib/lazily.ts"
import { whereWeAre } from "#faces/cli/where.ts"

export function lazyRunningPort(current: string): RunningPort {
  const port = lazily(async () => (await import("./running-port.ts")).runningPort(whereWeAre(), { current }))
  return {
    list: async () => (await port()).list(),
    log: async (id) => (await port()).log(id),
    answer: async (id, question, answer) => (await port()).answer(id, question, answer),
    stop: async (id) => (await port()).stop(id),
    resume: async (id) => (await port()).resume(id),
    remove: async (id) => (await port()).remove(id),
    watch(changed) {
      let isOver = false
      let stop = (): void => {}
      void port().then(({ watch }) => {
        if (!isOver) stop = watch(changed)
      })
      return () => {
        isOver = true
        stop()
      }
    },
  }
}
