/** What wakes the program up in the minute after a turn, on a screen? Counted as the sleeps of its threads. */

import { says } from "./kit/answers.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { openPty } from "./kit/pty.ts"
import { answer, rowOf } from "./kit/row.ts"

const seconds = 60

const place = makePlace({ files: 20 })
const server = openModelServer({ bodies: "dropped", answer: () => [says("Done, at the very end.")] })
const pty = openPty({ place, url: server.url })
await pty.shown("Ask anything")
pty.type("say it\r")
await pty.shown("at the very end")
await Bun.sleep(1_000)
const first = await pty.wakeUps(seconds)
const second = await pty.wakeUps(seconds)
await pty.end()
server.close()
place.remove()

answer(
  rowOf({ what: `wake-ups in ${seconds} s, right after a turn`, ours: first, unit: "" }),
  rowOf({ what: `wake-ups in the next ${seconds} s`, ours: second, unit: "", toReach: 20 }),
)
