import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { takeLock } from "#ground/transcript/lock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const lockFile = resolve(import.meta.dir, "../../../../src/ground/transcript/lock.ts")

describe("the lock of a session", () => {
  test("is held against this very process too, and released only by its owner", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    const first = takeLock(path, process.pid)
    expect(takeLock(path, process.pid)).toEqual({ ok: false, failure: { kind: "held", pid: process.pid } })
    writeFileSync(path, "1 1")
    if (first.ok) first.value()
    expect(readFileSync(path, "utf8")).toBe("1 1")
    expect(readdirSync(folder.path)).toEqual(["s.lock"])
  })

  test("is not held by a process that got the pid of a dead one", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    for (const pid of [process.pid, process.ppid]) {
      // Nothing that runs now started with the first tick of the system.
      writeFileSync(path, `${pid} 1`)
      const taken = takeLock(path, process.pid)
      expect(taken.ok).toBe(true)
      if (taken.ok) taken.value()
      expect(existsSync(path)).toBe(false)
    }
  })

  test("is not held by a process that has ended and was not reaped", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    // The shell ends at once; the program that takes its place never asks for its children.
    const parent = Bun.spawn(["/bin/sh", "-c", "sleep 0 & echo $!; exec sleep 60"], { stdout: "pipe" })
    const reader = parent.stdout.getReader()
    const pid = Number(new TextDecoder().decode((await reader.read()).value))
    while (!readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ")) await Bun.sleep(1)
    writeFileSync(path, String(pid))
    expect(takeLock(path, process.pid).ok).toBe(true)
    parent.kill("SIGKILL")
  })

  test("what is no lock is taken over, and a place that cannot be written is a failure with a reason", () => {
    using folder = temporaryFolder()
    for (const content of ["", "torn", "12 34 56"]) {
      writeFileSync(folder.join("s.lock"), content)
      const taken = takeLock(folder.join("s.lock"), process.pid)
      expect(taken.ok).toBe(true)
      if (taken.ok) taken.value()
    }
    expect(takeLock(folder.join("none/s.lock"), process.pid)).toMatchObject({
      ok: false,
      failure: { kind: "unwritable", message: expect.stringContaining("ENOENT") },
    })
  })

  test("of many processes that find a dead owner's lock at once, one gets it", async () => {
    using folder = temporaryFolder()
    const program = `
      const { takeLock } = await import(${JSON.stringify(lockFile)})
      process.stdout.write("ready\\n")
      for await (const _ of console) {
        const taken = takeLock(process.argv[1], process.pid)
        process.stdout.write(taken.ok ? "taken\\n" : "held\\n")
        if (taken.ok) globalThis.release = taken.value
      }`
    const rounds = 20
    const children = Array.from({ length: 4 }, () => {
      const child = Bun.spawn([process.execPath, "-e", program, folder.join("s.lock")], {
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      })
      return { child, lines: linesOf(child.stdout) }
    })
    for (const { lines } of children) expect((await lines.next()).value).toBe("ready")
    for (let round = 0; round < rounds; round++) {
      writeFileSync(join(folder.path, "s.lock"), "4194304 7")
      for (const { child } of children) {
        void child.stdin.write("go\n")
        void child.stdin.flush()
      }
      const said = await Promise.all(children.map(async ({ lines }) => (await lines.next()).value))
      expect(said.toSorted()).toEqual(["held", "held", "held", "taken"])
    }
    for (const { child } of children) child.kill("SIGKILL")
  })
})

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ""
  for await (const part of stream.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const lines = (rest + part).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
}
