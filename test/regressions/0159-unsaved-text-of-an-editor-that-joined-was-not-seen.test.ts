/** An editor that joined a session of a terminal had text that was not saved; the session read the file on disk and wrote over it. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { isOwnPeer } from "#ground/workspace/processes/socket-peer.ts"
import { attachSession, type AttachedSession } from "#session/port/attach-session.ts"
import { openAttachedEditors } from "#session/port/attached-editors.ts"
import { offerSession } from "#session/port/offer-session.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, edit, read, says } from "../kit/script.ts"
import { temporaryFolder } from "../kit/tmp.ts"

setDefaultTimeout(100_000)

/** A session of a process without an editor, and an editor with its buffers that joins it. */
async function joined(how: { readonly writes: boolean; readonly answers?: boolean }) {
  const folder = temporaryFolder()
  const editors = openAttachedEditors()
  const t = await openTestSession({
    files: { "a.txt": "one\ntwo\n" },
    script: [calls(read("a.txt")), calls(edit("a.txt", "two", "TWO")), says("Done.")],
    place: { trusted: true, buffers: editors.buffers },
    mode: "bypassPermissions",
  })
  const path = folder.join("socket")
  const offered = offerSession({ session: t.session, path, version: "1", pid: 7, isWelcome: isOwnPeer, editors })
  if (!offered.ok) throw new Error(offered.failure)
  const open = new Map([["a.txt", "one\ntwo\nnot saved yet\n"]])
  const saved: string[] = []
  const attach = async (): Promise<AttachedSession> => {
    const attached = await attachSession(path, {
      id: t.id,
      version: "1",
      buffers: {
        async read(file) {
          if (how.answers === false) throw new Error("busy")
          return open.get(file.split("/").at(-1) ?? "") ?? readFileSync(file, "utf8")
        },
        ...(how.writes && {
          async write(file: string, text: string) {
            open.set(file.split("/").at(-1) ?? "", text)
            writeFileSync(file, text)
            saved.push(text)
            return true
          },
        }),
      },
    })
    if (!attached.ok) throw new Error(attached.failure.kind)
    return attached.value
  }
  return {
    t,
    attach,
    saved,
    async [Symbol.asyncDispose]() {
      offered.value.stop()
      await t[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

test("what is not saved in an editor that joined is read, saved first, and kept by an edit", async () => {
  await using j = await joined({ writes: true })
  const face = await j.attach()
  await face.submit({ type: "prompt", content: [{ type: "text", text: "go" }], when: "queue" })
  await face.ask({ type: "settled" })
  expect(JSON.stringify(j.t.requests()[1])).toContain("not saved yet")
  expect(j.saved).toEqual(["one\ntwo\nnot saved yet\n", "one\nTWO\nnot saved yet\n"])
  expect(j.t.read("a.txt")).toBe("one\nTWO\nnot saved yet\n")
})

test("once it has left, or while it cannot tell, files are as on disk", async () => {
  await using gone = await joined({ writes: true })
  const face = await gone.attach()
  await face.close()
  while (!face.isLost()) await Bun.sleep(5)
  await gone.t.prompt("go")
  expect([gone.t.read("a.txt"), gone.saved]).toEqual(["one\nTWO\n", []])
  await using busy = await joined({ writes: false, answers: false })
  await busy.attach()
  await busy.t.prompt("go")
  expect(busy.t.read("a.txt")).toBe("one\nTWO\n")
})
