import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { takeLock } from "#ground/transcript/lock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** Above what systems give out. */
const deadPid = 4_194_303
const lockFile = resolve(import.meta.dir, "../../../../src/ground/transcript/lock.ts")

/** A lock as another process would have left it. */
function lockAs(path: string, owner: string): void {
  mkdirSync(path, { recursive: true })
  for (const name of readdirSync(path)) rmSync(join(path, name))
  writeFileSync(join(path, owner), "")
}

describe("the lock of a session", () => {
  test("is held against this very process too, and released only by its owner", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    const first = takeLock(path, process.pid)
    expect(takeLock(path, process.pid)).toEqual({ ok: false, failure: { kind: "held", pid: process.pid } })
    lockAs(path, "1 1")
    if (first.ok) first.value()
    expect(readdirSync(path)).toEqual(["1 1"])
    expect(readdirSync(folder.path)).toEqual(["s.lock"])
  })

  test("of another machine counts while its log is written, and not long after", () => {
    using folder = temporaryFolder()
    const log = folder.join("s.jsonl")
    const path = `${log}.lock`
    writeFileSync(log, "")
    const theirs = takeLock(path, deadPid, "their-host")
    expect(theirs.ok).toBe(true)
    const held = { ok: false, failure: { kind: "held", pid: deadPid, host: "their-host" } }
    expect(takeLock(path, process.pid, "my-host")).toEqual(held as ReturnType<typeof takeLock>)
    const before = new Date(Date.now() - 10 * 60_000)
    utimesSync(path, before, before)
    expect(takeLock(path, process.pid, "my-host").ok).toBe(false)
    utimesSync(log, before, before)
    expect(takeLock(path, process.pid, "my-host").ok).toBe(true)
  })

  test("is not spoiled by what a process that was killed while taking it left behind", () => {
    using folder = temporaryFolder()
    lockAs(folder.join(`s.lock.${process.pid}`), `${process.pid} 1`)
    expect(takeLock(folder.join("s.lock"), process.pid).ok).toBe(true)
    expect(readdirSync(folder.path)).toEqual(["s.lock"])
  })

  test("is not held by a process that got the pid of a dead one", () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    for (const pid of [process.pid, process.ppid]) {
      // Nothing that runs now started with the first tick of the system.
      lockAs(path, `${pid} 1`)
      const taken = takeLock(path, process.pid)
      expect(taken.ok).toBe(true)
      if (taken.ok) taken.value()
      expect(existsSync(path)).toBe(false)
    }
  })

  test("is not held by a process that has ended and was not reaped", async () => {
    using folder = temporaryFolder()
    const path = folder.join("s.lock")
    // The program that takes the place of the shell never asks for its children.
    const parent = Bun.spawn(["/bin/sh", "-c", "sleep 0.2 & echo $!; exec sleep 60"], { stdout: "pipe" })
    const reader = parent.stdout.getReader()
    const pid = Number(new TextDecoder().decode((await reader.read()).value))
    while (!readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ")) await Bun.sleep(1)
    lockAs(path, String(pid))
    expect(takeLock(path, process.pid).ok).toBe(true)
    parent.kill("SIGKILL")
  })

  test("what is no lock is taken over, and a place that cannot be written is a failure with a reason", () => {
    using folder = temporaryFolder()
    for (const content of ["", "torn", "12 34 56", "4194304"]) {
      // A plain file at its place is a lock of an older kind.
      writeFileSync(folder.join("s.lock"), content)
      const taken = takeLock(folder.join("s.lock"), process.pid)
      expect(taken.ok).toBe(true)
      if (taken.ok) taken.value()
      if (content === "") continue
      lockAs(folder.join("s.lock"), content)
      const again = takeLock(folder.join("s.lock"), process.pid)
      if (again.ok) again.value()
      expect(existsSync(folder.join("s.lock"))).toBe(false)
    }
    writeFileSync(folder.join("s.lock"), String(process.ppid))
    expect(takeLock(folder.join("s.lock"), process.pid).ok).toBe(false)
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
    const rounds = 60
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
      rmSync(join(folder.path, "s.lock"), { recursive: true, force: true })
      lockAs(join(folder.path, "s.lock"), "4194304 7")
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
