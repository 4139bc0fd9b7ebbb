/** How long does a client wait from the start of the program to the answer to its `initialize`? And what do turns add to its memory? */

import { readFileSync } from "node:fs"
import { program } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { type BenchPlace, makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const turns = 100
const initialize = JSON.stringify({
  type: "control_request",
  request_id: "1",
  request: { subtype: "initialize", systemPrompt: [""] },
})
const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
const bare = compileBare("hello")
const place = makePlace()
const waits: number[] = []
const floor: number[] = []
for (let i = 0; i < 20; i++) {
  waits.push(await toInitialize(place))
  const begun = performance.now()
  Bun.spawnSync([bare.path], { stdio: ["ignore", "ignore", "ignore"] })
  floor.push(performance.now() - begun)
}
const grown = await memoryOfTurns(place)
place.remove()
bare.remove()
server.close()

answer(
  rowOf({
    what: "start to the answer to initialize",
    ours: median(waits),
    unit: "ms",
    floor: { name: "bare compiled hello", value: median(floor) },
    toReach: 60,
    note: `p95 ${shown(percentile(waits, 95), "ms")}`,
  }),
  rowOf({
    what: `memory that ${turns} turns of one client add`,
    ours: grown.afterMb - grown.beforeMb,
    unit: "MB",
    floor: { name: "after 10 turns", value: grown.beforeMb },
    toReach: 30,
  }),
)

function start({ work, home, state }: BenchPlace) {
  const flags = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
  return Bun.spawn([program, ...flags], {
    cwd: work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      CODEWRIGHT_HOME: state,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "x",
    },
    stdio: ["pipe", "pipe", "ignore"],
  })
}

async function toInitialize(where: BenchPlace): Promise<number> {
  const from = performance.now()
  const child = start(where)
  void child.stdin.write(`${initialize}\n`)
  void child.stdin.flush()
  const reader = child.stdout.getReader()
  await reader.read()
  const waited = performance.now() - from
  await child.stdin.end()
  await child.exited
  return waited
}

async function memoryOfTurns(where: BenchPlace): Promise<{ readonly beforeMb: number; readonly afterMb: number }> {
  const child = start(where)
  const residentMb = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  void child.stdin.write(`${initialize}\n`)
  let results = 0
  let beforeMb = 0
  let rest = ""
  const say = (): void => {
    void child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "go on" } })}\n`)
    void child.stdin.flush()
  }
  say()
  for await (const part of child.stdout) {
    rest += new TextDecoder().decode(part)
    const found = rest.split('"type":"result"').length - 1
    if (found === 0) continue
    rest = ""
    results += found
    if (results === 10) beforeMb = residentMb()
    if (results === turns + 10) break
    say()
  }
  const afterMb = residentMb()
  await child.stdin.end()
  await child.exited
  return { beforeMb, afterMb }
}
