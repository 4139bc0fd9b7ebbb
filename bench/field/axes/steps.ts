/** What a step costs, whether it grows, the memory of a long session, and how much of a request is sent unchanged. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { median } from "../../kit/figures.ts"
import type { SimRequest } from "../../../src/sim/request.ts"
import { type Axis, numbers, type Round, type Sample } from "../axis.ts"
import { calls, says } from "../model.ts"
import { cpuSoFarMs, peakMb } from "../place.ts"
import { type PeerRun, runPeer } from "../run-peer.ts"

const short = 20

export const steps: Axis = {
  id: "steps",
  how: "A session that reads one small file a step, short and long. Processor time a step: the difference of the two sessions by the difference of their steps. Growth: processor time of the last 20 steps by that of steps 10 to 30. Memory: the peaks of all its processes at the last request. Prefix kept: tools, system prompt and messages of a request (without cache marks) that begin the next one in the same bytes.",
  rounds: 1,
  async sample(round) {
    const brief = await session(round, short)
    const long = await session(round, round.steps)
    const first = long.run.requests[0]
    const spent = (from: number, to: number): number =>
      (long.cpuMs[to] ?? Number.NaN) - (long.cpuMs[from] ?? Number.NaN)
    const done = long.run.at.length - 1
    const kept = prefixes(brief.run)
    return [
      {
        steps: done,
        shortCpuMs: brief.run.cpuMs,
        longCpuMs: long.run.cpuMs,
        stepCpuMs: (long.run.cpuMs - brief.run.cpuMs) / (done - (brief.run.at.length - 1)),
        growth: spent(round.steps - 20, round.steps) / spent(10, 30),
        shortPeakMb: brief.peak,
        longPeakMb: long.peak,
        firstBytes: bytesOf(first),
        tools: first?.tools.length ?? 0,
        prefixLeast: Math.min(...kept),
        prefixBreaks: kept.filter((share) => share < 0.999).length,
        besides: long.run.besides,
        exit: long.run.exit,
      },
    ]
  },
  rows: [
    { what: "a read step, processor time", cell: figure("stepCpuMs", (ms) => `${ms.toFixed(1)} ms`) },
    {
      what: "growth of a step over the long session, processor time",
      cell: figure("growth", (ratio) => ratio.toFixed(2)),
    },
    { what: "peak memory, 20 steps", cell: figure("shortPeakMb", (mb) => `${Math.round(mb)} MB`) },
    { what: "peak memory, long session", cell: figure("longPeakMb", (mb) => `${Math.round(mb)} MB`) },
    {
      what: "first request (tools)",
      cell: (samples) => `${figure("firstBytes", kilobytes)(samples)} (${figure("tools", String)(samples)})`,
    },
    { what: "prefix kept from step to step, worst", cell: figure("prefixLeast", (share) => share.toFixed(3)) },
  ],
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

function figure(name: string, shown: (value: number) => string): (samples: readonly Sample[]) => string {
  return (samples) => {
    const values = numbers(samples, name)
    return values.length === 0 ? "?" : shown(median(values))
  }
}

async function session(
  { peer, installed, fresh }: Round,
  count: number,
): Promise<{ readonly run: PeerRun; readonly peak: number; readonly cpuMs: { readonly [step: number]: number } }> {
  const place = fresh()
  const files = Array.from({ length: count }, (_, i) => join(place.work, `file-${i}.txt`))
  for (const [i, path] of files.entries())
    writeFileSync(
      path,
      Array.from({ length: 12 }, (_, n) => `line ${n + 1} of file ${i}, short as lines are\n`).join(""),
    )
  let peak = 0
  const cpuMs: { [step: number]: number } = {}
  const marks = [10, 30, count - 20, count]
  try {
    const run = await runPeer({
      peer,
      installed,
      place,
      // The requests of a long session are large in total.
      keep: count > short ? "last" : "all",
      patienceMs: 600_000,
      argv: (situation) => peer.work("go on", situation),
      script: (_, index) => {
        const path = files[index]
        return path === undefined ? says("Done.") : calls(peer.read(path))
      },
      onRequest(index) {
        if (index === count) peak = peakMb(place.root)
        if (marks.includes(index)) cpuMs[index] = cpuSoFarMs(place.root)
      },
    })
    return { run, peak, cpuMs }
  } finally {
    place.remove()
  }
}

function bytesOf(request: SimRequest | undefined): number {
  return request === undefined ? 0 : Buffer.byteLength(JSON.stringify(request.sent ?? request.body))
}

/** For each request but the first: the share of the one before that begins it. */
function prefixes({ requests }: PeerRun): readonly number[] {
  const texts = requests.map(textOf)
  return texts.slice(1).map((text, i) => {
    const before = texts[i] ?? ""
    let same = 0
    while (same < before.length && before[same] === text[same]) same++
    return same / before.length
  })
}

/** What a provider's cache would compare, in its order. Cache marks move by design. */
function textOf({ sent, body, system, messages }: SimRequest): string {
  const tools = JSON.stringify((sent ?? body).tools ?? [])
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => `${role} ${JSON.stringify(block)}`))
  const marks = /,?"cache_control":\{[^{}]*\}/g
  return [tools, system, ...blocks].join("\n").replaceAll(marks, "")
}
