/**
 * The real program on a disk that takes its time, and in a home on another machine: each call that names a file comes back
 * late, nothing can be locked by the kernel and nothing watched. What it does and keeps is the same.
 */

import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inspectLog } from "#ground/transcript/salvage.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"

const strace = Bun.which("strace")
// oxlint-disable-next-line no-console -- a skipped test should say what it needs.
if (strace === null) console.warn("strace is missing, so no disk can be made slow: install it.")

const named = "openat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,symlink,symlinkat"
const disks = {
  "each time that data must be on the disk takes a while": ["inject=fsync,fdatasync:delay_exit=150000"],
  "a home over a network": [
    `inject=${named}:delay_exit=4000`,
    "inject=fsync,fdatasync:delay_exit=50000",
    "inject=flock:error=ENOLCK",
    "inject=inotify_init,inotify_init1,inotify_add_watch:error=ENOSPC",
  ],
} as const

const on = (disk: readonly string[], place: Place): string => {
  const injected = disk.flatMap((one) => ["-e", one])
  const traced = `trace=${named},fsync,fdatasync,flock,inotify_init1,inotify_add_watch`
  return `exec strace -f -qq --seccomp-bpf -o ${join(place.path, "trace")} -e ${traced} ${injected.join(" ")} "$@"`
}

for (const [what, disk] of Object.entries(disks))
  test.skipIf(strace === null)(what, async () => {
    using place = openPlace({ "a.txt": "one\n" })
    const wrap = on(disk, place)
    const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash"]
    const first = await runCodewright({
      place,
      wrap,
      argv: ["-p", "work", ...flags],
      scenario: [
        calls(read("a.txt"), write("b.txt", "new\n")),
        calls(bash("echo two >> a.txt; rm b.txt")),
        calls(read("a.txt")),
        calls(edit("a.txt", "two", "three")),
        says("Done."),
      ],
      // Somebody else who wants the same session meanwhile is told of the first.
      async during() {
        const log = await logOf(place)
        const id = log.split("/").at(-1)?.replace(".jsonl", "") ?? ""
        const second = await runCodewright({ place, argv: ["-p", "me too", "--resume", id], scenario: ["No."] })
        expect([second.code, second.requests.length]).toEqual([1, 0])
      },
    })
    expect(first).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(await place.read("a.txt")).toBe("one\nthree\n")
    expect(/sync\(.*\(DELAYED\)/.test(readFileSync(join(place.path, "trace"), "utf8"))).toBe(true)

    const more = await runCodewright({ place, wrap, argv: ["-p", "more", "--continue", ...flags], scenario: ["More."] })
    expect(more).toMatchObject({ code: 0, stdout: "More.\n" })
    expect(JSON.stringify(more.requests[0]?.body)).toContain("work")

    const state = inspectLog(await logOf(place))
    expect(state.ok && state.value.damaged).toEqual([])
    const id = (await logOf(place)).split("/").at(-1)?.replace(".jsonl", "") ?? ""
    const back = await runCodewright({ place, wrap, argv: ["rewind", id, "--to", "1"] })
    expect(back.code).toBe(0)
    expect([await place.read("a.txt"), existsSync(join(place.work, "b.txt"))]).toEqual(["one\n", false])
  })

/** The session's log, once it is there. */
async function logOf({ state }: Place): Promise<string> {
  for (;;) {
    const all = existsSync(state) ? readdirSync(state, { recursive: true, encoding: "utf8" }) : []
    const found = all.find((name) => /^projects\/[^/]+\/[^/]+\.jsonl$/.test(name))
    if (found !== undefined) return join(state, found)
    await Bun.sleep(20)
  }
}
