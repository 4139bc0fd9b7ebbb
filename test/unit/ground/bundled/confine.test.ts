/** The sandbox's helper as it comes out of the executable: verified before every use. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const root = resolve(import.meta.dir, "../../../..")
const name = `confine-${process.arch}`
const source = join(root, "src/ground/sandbox/confine", name)

test.skipIf(process.platform !== "linux")("run from source it is the one in the tree", async () => {
  expect(await confinePath({ cacheFolder: "/nowhere", pid: 1 })).toBe(source)
})

test.skipIf(process.platform !== "linux")(
  "it is unpacked once, for the user alone, and replaced if it is another",
  async () => {
    using folder = temporaryFolder()
    const cacheFolder = folder.join("cache")
    const embedded = (asked: string) => (asked === name ? Bun.file(source) : undefined)
    const path = (await confinePath({ cacheFolder, pid: 1, embedded })) ?? ""
    expect(readFileSync(path)).toEqual(readFileSync(source))
    expect(statSync(path).mode & 0o777).toBe(0o700)
    const before = statSync(path).ino
    expect(await confinePath({ cacheFolder, pid: 1, embedded })).toBe(path)
    expect(statSync(path).ino).toBe(before)

    writeFileSync(path, "#!/bin/sh\necho something else\n")
    expect(await confinePath({ cacheFolder, pid: 1, embedded })).toBe(path)
    expect(readFileSync(path)).toEqual(readFileSync(source))
    expect(readdirSync(cacheFolder)).toHaveLength(1)
  },
)
