/** A folder copied as it is, or not at all. */

import { expect, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { copyFolder } from "#ground/workspace/copy-folder.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const options = {
  limits: { files: 100, bytes: 10_000 },
  leaves: (path: string) => path.endsWith("/left"),
  signal: new AbortController().signal,
}

test("files, links, permissions and times; what is left out stays out", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("from/deep/left"), { recursive: true })
  writeFileSync(folder.join("from/deep/run.sh"), "run")
  chmodSync(folder.join("from/deep/run.sh"), 0o755)
  symlinkSync("nowhere", folder.join("from/link"))
  expect(await copyFolder(folder.join("from"), folder.join("to"), options)).toEqual({ ok: true, value: [] })
  expect(readdirSync(folder.join("to/deep"))).toEqual(["run.sh"])
  expect(readlinkSync(folder.join("to/link"))).toBe("nowhere")
  const [was, is] = ["from", "to"].map((name) => statSync(folder.join(name, "deep/run.sh")))
  expect(is?.mode).toBe(was?.mode)
  expect(is?.mtimeMs).toBeCloseTo(was?.mtimeMs ?? 0, 1)
  writeFileSync(folder.join("to/deep/run.sh"), "changed")
  expect(readFileSync(folder.join("from/deep/run.sh"), "utf8")).toBe("run")
  expect(lstatSync(folder.join("to/link")).mtimeMs).toBeCloseTo(lstatSync(folder.join("from/link")).mtimeMs, 1)
})

test("too many, too large, interrupted, not there", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("from"))
  writeFileSync(folder.join("from/a"), "x".repeat(6000))
  const copy = (more: Partial<typeof options>, to: string, from = "from") =>
    copyFolder(folder.join(from), folder.join(to), { ...options, ...more })
  const small = { files: 1, bytes: 10_000 }
  expect(await copy({ limits: small }, "1")).toEqual({ ok: false, failure: { kind: "too_large", limits: small } })
  const light = { files: 100, bytes: 5000 }
  expect(await copy({ limits: light }, "2")).toEqual({ ok: false, failure: { kind: "too_large", limits: light } })
  expect(await copy({ signal: AbortSignal.abort() }, "3")).toEqual({ ok: false, failure: { kind: "aborted" } })
  expect(await copy({}, "4", "nothing")).toMatchObject({ ok: false, failure: { kind: "other" } })
})
