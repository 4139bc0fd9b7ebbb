/** Renaming what must not act: only in the folder that is meant, whatever others do with it meanwhile. */

import { expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { makeListable, setAside } from "#ground/workspace/set-aside.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("it gets another name, and something else may take its place", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("config"), "first")
  expect(setAside({ folder: folder.path, name: "config", instead: "plain" })).toBe("config.set-aside")
  writeFileSync(folder.join("config"), "second")
  expect(setAside({ folder: folder.path, name: "config" })).toBe("config.set-aside-2")
  expect(readdirSync(folder.path).toSorted()).toEqual(["config.set-aside", "config.set-aside-2"])
  expect(readFileSync(folder.join("config.set-aside"), "utf8")).toBe("first")
  expect(setAside({ folder: folder.path, name: "config" })).toBeUndefined()
})

test("a link is renamed itself, and a folder that is one is not entered", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("real"))
  writeFileSync(folder.join("real/config"), "x")
  symlinkSync("real", folder.join("link"))
  expect(setAside({ folder: folder.join("link"), name: "config" })).toBeUndefined()
  expect(setAside({ folder: folder.path, name: "link" })).toBe("link.set-aside")
  expect(existsSync(folder.join("real/config"))).toBe(true)
})

test("rights that were taken away are given back", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("closed"))
  chmodSync(folder.join("closed"), 0o311)
  expect(makeListable(folder.join("closed"))).toBe(true)
  expect(statSync(folder.join("closed")).mode & 0o777).toBe(0o711)
  expect(makeListable(folder.join("none"))).toBe(false)
})

const swapping = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
print("ready", flush=True)
while os.path.exists(sys.argv[3]):
    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
`

test.skipIf(process.platform !== "linux")(
  "nothing is touched through a link that takes the folder's place",
  async () => {
    using folder = temporaryFolder()
    for (const name of ["work/sub/.git", "outside/.git"]) mkdirSync(folder.join(name), { recursive: true })
    writeFileSync(folder.join("outside/.git/config"), "theirs")
    writeFileSync(folder.join("go"), "")
    symlinkSync(folder.join("outside"), folder.join("work/link"))
    const argv = ["python3", "-c", swapping, folder.join("work/sub"), folder.join("work/link"), folder.join("go")]
    const swapper = Bun.spawn(argv, { stdout: "pipe" })
    await swapper.stdout.getReader().read()
    const names = Array.from({ length: 3_000 }, () =>
      setAside({ folder: folder.join("work/sub/.git"), name: "config" }),
    )
    Bun.spawnSync(["rm", folder.join("go")])
    await swapper.exited
    expect(readFileSync(folder.join("outside/.git/config"), "utf8")).toBe("theirs")
    expect(names.filter((name) => name !== undefined)).toEqual([])
  },
)
