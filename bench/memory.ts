/** How much memory does a session hold at its peak, and how much more when it meets something very large? */

import { closeSync, ftruncateSync, openSync, readdirSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { runAgent } from "./kit/agent.ts"
import { calls, reads, says, type Use } from "./kit/answers.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { openPty } from "./kit/pty.ts"
import { compileBare } from "./kit/bare-program.ts"
import { median } from "./kit/figures.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"
import { giveServer } from "./kit/tool-server.ts"
import { runBareLike, runReads } from "./kit/steps.ts"

/** What may be held above an idle session, in MB. */
const mostAbove = 40

const bare = compileBare("fetch")
const toolServer = compileBare("tool-server")
answer(await peak(50, 70), await peak(300, 90))
bare.remove()
answer(...(await large()), await served(), await paste())
toolServer.remove()

async function peak(steps: number, toReach: number): Promise<Row> {
  const ours: number[] = []
  const floor: number[] = []
  for (let i = 0; i < 3; i++) {
    const run = await runReads(steps)
    ours.push(run.peakMb)
    floor.push((await runBareLike(run, bare)).peakMb)
  }
  return rowOf({
    what: `peak memory, ${steps} read steps`,
    ours: median(ours),
    unit: "MB",
    floor: { name: "bare fetch", value: median(floor) },
    toReach,
  })
}

/** Each step beside a session that reads a small file. */
async function large(): Promise<readonly Row[]> {
  const place = makePlace({ files: 1 })
  const put = (name: string, part: string, times: number, bytes?: number): void => {
    const file = openSync(join(place.work, name), "w")
    for (let i = 0; i < times; i++) writeSync(file, part)
    if (bytes !== undefined) ftruncateSync(file, bytes)
    closeSync(file)
  }
  put("huge.log", "a line of a log, as long as lines of logs are\n".repeat(20_000), 100, 1e9)
  put("line.json", "x".repeat(1_000_000), 100)
  put("hits.txt", "hit in a line of text\n".repeat(10_000), 100)
  const grep = (more: { readonly [name: string]: unknown }): Use => ({
    name: "Grep",
    input: { pattern: "hit", path: "hits.txt", output_mode: "content", ...more },
  })
  const peakOf = async (use: Use): Promise<number> =>
    (await runAgent({ place, answers: [[calls(0, use)], [says("Done.")]] })).peakMb
  const idle = await peakOf(reads("file-0.txt"))
  const steps: readonly (readonly [string, Use])[] = [
    ["a file of 1 GB", reads("huge.log")],
    ["a line of 100 MB", reads("line.json")],
    ["a search with a million hits", grep({})],
    ["a search with a million hits, no limit", grep({ head_limit: 0 })],
    ["a search with a million hits, counted", grep({ output_mode: "count" })],
  ]
  const rows: Row[] = []
  for (const [what, use] of steps)
    rows.push(
      rowOf({
        what: `peak memory, ${what}`,
        ours: await peakOf(use),
        unit: "MB",
        floor: { name: "a small file", value: idle },
        toReach: idle + mostAbove,
      }),
    )
  place.remove()
  return rows
}

/** A session that is given a word by a server, and one that is given 50 MB. */
async function served(): Promise<Row> {
  const peakOf = async (many: number): Promise<number> => {
    const place = makePlace()
    giveServer(place, toolServer, 1)
    const use: Use = { name: "mcp__bare__tool_0", input: { what: "all of it", many } }
    const { peakMb } = await runAgent({
      place,
      answers: [[calls(0, use)], [says("Done.")]],
      flags: ["--allowedTools", use.name],
      env: { ENABLE_TOOL_SEARCH: "0" },
    })
    const kept = readdirSync(place.state, { recursive: true, encoding: "utf8" }).find(
      (name) => statSync(join(place.state, name)).size > many * 1e6 * 0.9,
    )
    place.remove()
    if (many > 0 && kept === undefined) throw new Error("The result was not kept.")
    return peakMb
  }
  const small = await peakOf(0)
  return rowOf({
    what: "peak memory, a result of 50 MB from a server",
    ours: await peakOf(50),
    unit: "MB",
    floor: { name: "an empty one", value: small },
    toReach: small + mostAbove,
  })
}

async function paste(): Promise<Row> {
  const place = makePlace()
  const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
  const pty = openPty({ place, url: server.url })
  await pty.shown("Ask anything")
  await Bun.sleep(1_000)
  const idle = pty.residentMb()
  const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i} of what is pasted\n`).join("")
  pty.type(`\x1b[200~${lines}\x1b[201~`)
  await pty.shown("Pasted")
  await Bun.sleep(2_000)
  const after = pty.residentMb()
  await pty.end()
  server.close()
  place.remove()
  return rowOf({
    what: `memory after a paste of ${(lines.length / 1e6).toFixed(1)} MB`,
    ours: after,
    unit: "MB",
    floor: { name: "before it", value: idle },
    toReach: idle + mostAbove,
  })
}
