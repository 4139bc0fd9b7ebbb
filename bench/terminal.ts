/** How does it feel in a terminal: when is it there, how soon does a key show, and what does it cost while it speaks or waits? */

import { calls, reads, says, talks } from "./kit/answers.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { type ModelServer, openModelServer, type Piece } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { openPty, type Pty } from "./kit/pty.ts"
import { answer, rowOf } from "./kit/row.ts"

const idleSeconds = 60
const wakeUpSeconds = 10
const toolSteps = 1_000
const prompted = "Ask anything"

/** A terminal with an agent in it that can be typed to, and the model behind it. */
async function open(
  answers: readonly (readonly Piece[])[],
): Promise<{ pty: Pty; server: ModelServer; done: () => Promise<void> }> {
  const place = makePlace({ files: 20 })
  const server = openModelServer({ bodies: "dropped", answer: (index) => answers[index] ?? [says("Done.")] })
  const pty = openPty({ place, url: server.url })
  await pty.shown(prompted)
  return {
    pty,
    server,
    async done() {
      await pty.end()
      server.close()
      place.remove()
    },
  }
}

/** Letters that nothing else on the screen holds, so that each is its own echo. */
const letters = [..."абвгдежзийклмнопрстуфхцчшщъыьэюя"]

async function echoes(pty: Pty, count: number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const letter = letters[i % letters.length] ?? "а"
    const at = performance.now()
    pty.type(letter)
    times.push((await pty.shown(letter, at)) - at)
    // An empty line now and then, so that what is shown is always new.
    if (i % letters.length === letters.length - 1) pty.type("\u0015")
    await Bun.sleep(15)
  }
  return times
}

/** The kernel's own echo in a terminal in which nothing but `cat` runs. */
async function bareEcho(): Promise<number[]> {
  const place = makePlace()
  const pty = openPty({ place, url: "", argv: ["/bin/cat"] })
  await Bun.sleep(100)
  const times = await echoes(pty, 100)
  await pty.end()
  place.remove()
  return times
}

async function starts(): Promise<{ readonly painted: number[]; readonly usable: number[]; readonly bare: number[] }> {
  const painted: number[] = []
  const usable: number[] = []
  const bare: number[] = []
  const place = makePlace()
  const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
  for (let i = 0; i < 12; i++) {
    const pty = openPty({ place, url: server.url })
    const first = await pty.shown(prompted)
    pty.type("ж")
    const echoed = await pty.shown("ж", first)
    await pty.end()
    const floor = openPty({ place, url: "", argv: ["/bin/echo", prompted] })
    const said = await floor.shown(prompted)
    await floor.end()
    // The first run warms the caches of the disk.
    if (i === 0) continue
    painted.push(first - pty.spawnedAt)
    usable.push(echoed - pty.spawnedAt)
    bare.push(said - floor.spawnedAt)
  }
  server.close()
  place.remove()
  return { painted, usable, bare }
}

const { painted, usable, bare } = await starts()
const shell = { name: "echo in a terminal", value: median(bare) }
const kernel = await bareEcho()

const idle = await open([])
const idleEcho = await echoes(idle.pty, 200)
await Bun.sleep(1_000)
const cpuBefore = idle.pty.cpuMs()
await Bun.sleep(idleSeconds * 1_000)
const idleCpu = (idle.pty.cpuMs() - cpuBefore) / (idleSeconds * 10)
const idleMb = idle.pty.residentMb()
// Every 30 s the runtime looks at its heap; nothing of ours wakes up at all.
const wakeUps: number[] = []
for (let i = 0; i < 3; i++) wakeUps.push(await idle.pty.wakeUps(wakeUpSeconds))
await idle.done()

const slow = await open([talks({ tokensPerSecond: 500, seconds: 8 })])
slow.pty.type("speak\r")
await slow.pty.shown("word")
const busyEcho = await echoes(slow.pty, 150)
await slow.done()

const spoken = { tokensPerSecond: 2_000, seconds: 6 }
const fast = await open([talks(spoken)])
fast.pty.type("speak\r")
const began = await fast.pty.shown("word")
const [cpuStart, bytesStart] = [fast.pty.cpuMs(), fast.pty.bytes()]
await fast.pty.shown("the very end")
const seconds = (performance.now() - began) / 1_000
// Pauses of the model take a little longer than they should: what counts is the time that so many tokens should take.
const busyCpu = (fast.pty.cpuMs() - cpuStart) / (spoken.seconds * 10)
const kilobytes = (fast.pty.bytes() - bytesStart) / 1_000
await fast.done()

const steps = Array.from({ length: toolSteps }, (_, i) => [calls(i, reads(`file-${i % 20}.txt`))])
const long = await open([...steps, [says("All read, at the very end.")]])
long.pty.type("read\r")
await long.pty.shown("at the very end")
const longMb = long.pty.residentMb()
await long.done()

const spread = (times: readonly number[]): string =>
  `best ${shown(Math.min(...times), "ms")}, p95 ${shown(percentile(times, 95), "ms")}`
const echo = { name: "the kernel's own", value: median(kernel) }
answer(
  rowOf({
    what: "first paint, warm",
    ours: median(painted),
    unit: "ms",
    floor: shell,
    toReach: 60,
    note: spread(painted),
  }),
  rowOf({ what: "usable, warm", ours: median(usable), unit: "ms", floor: shell, toReach: 90, note: spread(usable) }),
  rowOf({
    what: "key echo, idle",
    ours: median(idleEcho),
    unit: "ms",
    floor: echo,
    toReach: 2,
    note: spread(idleEcho),
  }),
  rowOf({ what: "key echo p95, idle", ours: percentile(idleEcho, 95), unit: "ms", toReach: 5 }),
  rowOf({
    what: "key echo at 500 tokens/s",
    ours: median(busyEcho),
    unit: "ms",
    floor: echo,
    toReach: 2,
    note: spread(busyEcho),
  }),
  rowOf({
    what: "CPU at 2,000 tokens/s",
    ours: busyCpu,
    unit: "%",
    toReach: 15,
    note: `streamed in ${seconds.toFixed(1)} s`,
  }),
  rowOf({ what: "bytes to the terminal for it", ours: kilobytes, unit: "kB", toReach: 300 }),
  rowOf({ what: `idle CPU over ${idleSeconds} s`, ours: idleCpu, unit: "%", toReach: 0.05 }),
  rowOf({
    what: `wake-ups in ${wakeUpSeconds} s, idle`,
    ours: median(wakeUps),
    unit: "",
    toReach: 0,
    note: `after a minute: ${wakeUps.join(", ")}`,
  }),
  rowOf({ what: "memory, idle", ours: idleMb, unit: "MB", toReach: 60 }),
  rowOf({ what: `memory after ${toolSteps} tool steps`, ours: longMb, unit: "MB" }),
)
