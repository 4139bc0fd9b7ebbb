/** Is each request the one before it, and more? Steps with results, a failing call that brings a reminder, and a cut-off answer. */

import { type AgentRun, runAgent } from "./kit/agent.ts"
import { calls, cutOff, reads, says } from "./kit/answers.ts"
import { makePlace } from "./kit/place.ts"
import { cachedParts, readBody } from "./kit/request-body.ts"
import { answer } from "./kit/row.ts"

const place = makePlace({ files: 30 })
const missing = reads(`${place.work}/there-is-no-such-file.txt`)
const uses = [...place.files.slice(0, 10), ...place.files.slice(10, 20)].map(reads)
const failing = Array.from({ length: 6 }, () => missing)
const after = place.files.slice(20).map(reads)
const steps = [...uses, ...failing, ...after].map((use, i) => [calls(i, use)])
const run = await runAgent({
  place,
  answers: [...steps, [cutOff("This answer is cut")], [cutOff("and this one too")], [says("Done.")]],
  bodies: "kept",
})
place.remove()
const { ratio, breaks, requests } = kept(run)

answer({
  what: "prefix kept from request to request",
  ours: `${ratio.toFixed(3)}, ${breaks} breaks in ${requests} requests, with reminders`,
  floor: "1.000, 0 breaks",
  ratio: `x${ratio.toFixed(2)}`,
  toReach: "1.000, 0 breaks",
  reached: ratio === 1 && breaks === 0 ? "yes" : "no",
})

function kept({ exchanges }: AgentRun): { ratio: number; breaks: number; requests: number } {
  const bodies = exchanges.map(({ body }) => cachedParts(readBody(body)))
  const shares = bodies.slice(1).map((body, i) => {
    const before = bodies[i] ?? []
    const parted = before.findIndex((part, n) => part !== body[n])
    const same = parted === -1 ? before : before.slice(0, parted)
    return same.join("").length / before.join("").length
  })
  return {
    ratio: Math.min(...shares),
    breaks: shares.filter((share) => share < 1).length,
    requests: bodies.length,
  }
}
