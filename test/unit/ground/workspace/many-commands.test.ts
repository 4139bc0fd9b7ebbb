/** What no single command shows: that nothing adds up. CODEWRIGHT_LONG=1 makes it ten thousand commands and 1 GB. */

import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { bytesHeld, openFiles, openTestShell, until } from "./open-test-shell.ts"
import { isNight } from "../../../kit/runs.ts"

const { signal } = new AbortController()
const minutes = 60_000

test(
  "many commands leave neither processes nor files nor descriptors behind",
  async () => {
    await using t = openTestShell({ graceMs: 30 })
    const limits = { characters: 1000, fileBytes: 1000 }
    const start = () => t.shell.start({ command: "echo x; exit 1", cwd: t.folder, signal, limits })
    /** A few at once, of every kind: short, failing, in the background, aborted, now and then leaving something behind. */
    const wave = async (number: number): Promise<void> => {
      const abort = new AbortController()
      await Promise.all([
        t.run("echo x"),
        t.run("exit 3"),
        t.run(number % 50 === 0 ? "echo y >&2; sleep 1000 & :" : "echo y >&2; (echo a & echo b) | cat"),
        start(),
        t.run("echo z; sleep 1000", { signal: abort.signal, onOutput: () => abort.abort() }),
      ])
    }
    await wave(0)
    await until(() => children() <= 1)
    const before = { files: openFiles(), memory: bytesHeld() }
    for (let done = 0; done < (isNight ? 10_000 : 300); done += 5) await wave(done)
    await until(() => t.background.list().every(({ status }) => status === "failed"))
    // Only the watchdog is left.
    await until(() => children() <= 1)
    await until(() => openFiles() <= before.files + 1)
    expect(readdirSync(join(t.folder, "scratch")).toSorted()).toEqual(["cwd", "pipes"])
    // As many as ever ran at once; background commands of one wave may reach into the next.
    expect(readdirSync(join(t.folder, "scratch/cwd")).length).toBeLessThan(50)
    expect(t.background.list().length).toBeLessThanOrEqual(200)
    await until(() => bytesHeld() - before.memory < 20_000_000)
  },
  10 * minutes,
)

const testWhenLong = isNight ? test : () => {}

testWhenLong(
  "1 GB of output is kept whole in a file, by its ends in memory, before and behind",
  async () => {
    await using t = openTestShell()
    const before = bytesHeld()
    const command = "echo first; head -c 999999989 /dev/zero | tr '\\0' x; echo; echo last"
    const limits = { characters: 30_000, fileBytes: 1_000_000_000 }
    const { output } = await t.run(command, { timeoutMs: 10 * minutes })
    expect(output.bytes).toBe(1_000_000_001)
    expect(output.text).toStartWith("first\nxxx")
    expect(output.text).toEndWith("xxx\nlast\n")
    const started = await t.shell.start({ command, cwd: t.folder, signal, limits })
    expect(started.ok).toBe(true)
    await t.background.wait("bash_1", 10 * minutes, signal)
    const news = await t.background.news("bash_1", { filter: "^last", characters: 1000, signal })
    expect(news).toMatchObject({ ok: true, value: { command: { status: "completed" } } })
    expect(Bun.file(output.file ?? "").size).toBe(1_000_000_000)
    await until(() => bytesHeld() - before < 20_000_000)
  },
  20 * minutes,
)

/** How many processes are children of this one, but for the one that counts. */
function children(): number {
  const listed = Bun.spawnSync(["ps", "-ax", "-o", "ppid=,stat=,args="]).stdout.toString().split("\n")
  return listed.filter((line) => Number.parseInt(line, 10) === process.pid && !line.includes("ps -ax")).length
}
