/** From the start of the program to its first request, and one question as a whole. */

import { median } from "../../kit/figures.ts"
import { type Axis, least, numbers } from "../axis.ts"
import { says } from "../model.ts"
import { cpuSoFarMs } from "../place.ts"
import { runPeer } from "../run-peer.ts"

export const start: Axis = {
  id: "start",
  how: "`-p` with one question that is answered at once. Processor time until the first request (in steps of 10 ms) and of the whole run, medians of the rounds after the first; time on the clock, the least of them.",
  rounds: 4,
  async sample({ peer, installed, place, round }) {
    let startCpuMs = 0
    const run = await runPeer({
      peer,
      installed,
      place,
      argv: (situation) => peer.work("go on", situation),
      script: () => says("Done."),
      onRequest(index) {
        if (index === 0) startCpuMs = cpuSoFarMs(place.root)
      },
    })
    const first = run.at[0]
    if (first === undefined) throw new Error(`${peer.title} sent no request. ${run.complained.slice(0, 500)}`)
    return [
      {
        home: round === 0 ? "new" : "used",
        startMs: first - run.startedAt,
        startCpuMs,
        cpuMs: run.cpuMs,
        exit: run.exit,
      },
    ]
  },
  rows: [
    {
      what: "start to first request, processor time",
      cell: (samples) => milliseconds(median(numbers(used(samples), "startCpuMs"))),
    },
    {
      what: "one question, processor time",
      cell: (samples) => milliseconds(median(numbers(used(samples), "cpuMs"))),
    },
    {
      what: "start to first request, on the clock, least",
      cell: (samples) => milliseconds(least(used(samples), "startMs")),
    },
    {
      what: "first start ever, processor time",
      cell: (samples) =>
        milliseconds(
          least(
            samples.filter(({ home }) => home === "new"),
            "cpuMs",
          ),
        ),
    },
  ],
}

const used = (samples: Parameters<Axis["rows"][number]["cell"]>[0]): typeof samples =>
  samples.filter(({ home }) => home === "used")

/** There is none of a home that was used before when only one round was asked for. */
const milliseconds = (value: number): string => (Number.isFinite(value) ? `${Math.round(value)} ms` : "?")
