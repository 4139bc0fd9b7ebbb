/** Which editors are found, and which lock files are not believed. */

import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { depthIn, findEditors } from "#ground/editors/lock-files.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const good = {
  pid: process.pid,
  workspaceFolders: ["/work/project"],
  ideName: "Neovim",
  transport: "ws",
  authToken: "a3f1c2d4e5f60718293a4b5c6d7e8f90",
}

test("only files of this user, in the format, of a process that runs", async () => {
  using folder = temporaryFolder()
  const put = (name: string, value: unknown, mode = 0o600): string => {
    const file = join(folder.path, name)
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value))
    chmodSync(file, mode)
    return file
  }
  const gone = Bun.spawn(["true"])
  await gone.exited
  put("50001.lock", good)
  put("50002.lock", { ...good, pid: gone.pid })
  put("50003.lock", { ...good, pid: "1" })
  put("50004.lock", { ...good, pid: -1 })
  put("50005.lock", "{")
  put("50006.lock", { ...good, transport: "sse" })
  put("50007.lock", { ...good, authToken: "short" })
  put("50008.lock", { ...good, authToken: "evil\r\nHost: elsewhere.example" })
  put("50009.lock", good, 0o666)
  put("50010.lock", { ...good, padding: "x".repeat(100_000) })
  put("99999.lock", good)
  put("0.lock", good)
  put("notes.txt", good)
  symlinkSync(put("elsewhere.json", good), join(folder.path, "50011.lock"))
  mkdirSync(join(folder.path, "50012.lock"))
  expect(findEditors(folder.path)).toEqual([
    { port: 50001, pid: process.pid, name: "Neovim", folders: ["/work/project"], token: good.authToken },
  ])
  expect(findEditors(join(folder.path, "none"))).toEqual([])
  // Root owns every process here, and cannot be refused.
  if (process.getuid?.() !== 0) {
    put("50001.lock", { ...good, pid: 1 })
    expect(findEditors(folder.path)).toEqual([])
  }
})

test("an editor is close if its workspace is this folder or one above it", () => {
  using folder = temporaryFolder()
  const inner = folder.join("a", "b")
  mkdirSync(inner, { recursive: true })
  mkdirSync(folder.join("ab"))
  symlinkSync(folder.join("a"), folder.join("link"))
  const depth = (...folders: readonly string[]): number => depthIn({ folders }, inner)
  expect(depth(folder.join("ab"), join(inner, "c"))).toBe(0)
  expect(depth(folder.path)).toBe(folder.path.length)
  expect(depth(folder.path, folder.join("link"))).toBe(folder.join("a").length)
})
