/** What is kept and what it takes to look at it: bytes of the log for each byte of output, memory for very long outputs and logs, and the first list of many sessions. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { projectSlug } from "../src/ground/settings/state-folder.ts"
import { encodeEntry } from "../src/ground/transcript/line.ts"
import { withCatalog } from "../src/ground/transcript/catalog.ts"
import { program, runAgent } from "./kit/agent.ts"
import { calls, runs, says } from "./kit/answers.ts"
import { shown } from "./kit/figures.ts"
import { type BenchPlace, makePlace } from "./kit/place.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"
import { writeSessionLog } from "./kit/session-log.ts"

answer(logBytes(), await floodMemory(), await exportMemory(), await firstList())

function logBytes(): Row {
  const output = Array.from({ length: 500 }, (_, n) => `line ${n} of what a command printed, as they are`).join("\n")
  const line = encodeEntry(
    {
      kind: "result",
      callId: "toolu_1",
      tool: "Bash",
      content: output,
      isError: false,
      data: { stdout: output, stderr: "", interrupted: false, isImage: false },
      display: { kind: "terminal", command: "make", output, exitCode: 0 },
      durationMs: 1,
      uuid: "u",
      parentUuid: null,
      at: 0,
    },
    { sessionId: "s", cwd: "/w", version: "0", gitBranch: "main", entrypoint: "cli" },
  )
  return rowOf({
    what: `bytes of the log for an output of ${shown(output.length / 1000, "kB")}`,
    ours: line.length / 1000,
    unit: "kB",
    floor: { name: "the output", value: output.length / 1000 },
    toReach: (output.length * 1.2) / 1000,
  })
}

async function floodMemory(): Promise<Row> {
  const peak = async (command: string): Promise<number> =>
    (await runAgent({ answers: [[calls(1, runs(command))], [says("Done.")]], flags: ["--allowedTools", "Bash"] }))
      .peakMb
  const small = await peak("echo hello")
  const ours = await peak("yes 'all of this is printed' | head -c 505000000")
  return rowOf({
    what: "memory, a command that prints 505 MB",
    ours,
    unit: "MB",
    floor: { name: "one that prints a word", value: small },
    toReach: small + 40,
  })
}

async function exportMemory(): Promise<Row> {
  const sizes: number[] = []
  for (const entries of [6_000, 180_000]) sizes.push(await peakOfExport(entries))
  const [small = Number.NaN, large = Number.NaN] = sizes
  return rowOf({
    what: "memory, export of a log of 300 MB",
    ours: large,
    unit: "MB",
    floor: { name: "of 10 MB", value: small },
    toReach: small + 100,
  })
}

async function peakOfExport(entries: number): Promise<number> {
  const place = makePlace()
  const sessionId = "00000000-0000-4000-8000-000000000001"
  const path = join(place.state, "projects", projectSlug(place.work), `${sessionId}.jsonl`)
  writeSessionLog({
    path,
    sessionId,
    cwd: place.work,
    entries,
    resultCharacters: 9_000,
    compactedBefore: entries + 100,
    salt: 1,
  })
  const child = Bun.spawn([program, "sessions", "export", sessionId], {
    cwd: place.work,
    env: { HOME: place.home, CODEWRIGHT_HOME: place.state },
    stdio: ["ignore", "ignore", "ignore"],
  })
  const code = await child.exited
  place.remove()
  if (code !== 0) throw new Error(`The export ended with ${code}.`)
  return (child.resourceUsage()?.maxRSS ?? Number.NaN) / 1024 / 1024
}

async function firstList(): Promise<Row> {
  const place: BenchPlace = makePlace()
  const projects = join(place.state, "projects")
  const folder = join(projects, "-w")
  for (let n = 0; n < 2_000; n++) {
    const sessionId = `${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`
    const path = join(folder, `${sessionId}.jsonl`)
    writeSessionLog({ path, sessionId, cwd: "/w", entries: 60, resultCharacters: 3_000, compactedBefore: 100, salt: n })
  }
  const cpu = async (work: () => unknown): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const once = await cpu(() => readdirSync(folder).forEach((name) => readFileSync(join(folder, name))))
  const catalog = { file: join(place.state, "cache/sessions.sqlite"), projects }
  const ours = await cpu(() => withCatalog(catalog, ({ list }) => list({ cwd: "/w", limit: 20 })))
  place.remove()
  return rowOf({
    what: "processor time, the first list of 2,000 sessions",
    ours,
    unit: "ms",
    floor: { name: "reading the files once", value: once },
    toReach: 100,
  })
}
