/** A worker looked only at the disk of its state folder, so it took sessions that could not work: `--workplaces` is often a file system of its own. */

import { expect, test } from "bun:test"
import { join, resolve } from "node:path"
import { temporaryFolder } from "../kit/tmp.ts"

const root = resolve(import.meta.dir, "../..")

test("a worker takes no sessions while the disk with their folders is full, and says which", async () => {
  using folder = temporaryFolder()
  const works = folder.join("works")
  const script = `
    const { openSpace } = await import(${JSON.stringify(join(root, "src/fleet/work/space.ts"))})
    const said = []
    const space = openSpace(["/", ${JSON.stringify(join(works, "not/yet/made"))}], (text) => void said.push(text))
    console.log(JSON.stringify([space.isLeft(), said]))`
  const small = ["bwrap", "--dev-bind", "/", "/", "--size", String(16 * 1024 * 1024), "--tmpfs", works]
  const child = Bun.spawn([...small, process.execPath, "-e", script], { cwd: root, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe("")
  const full = `The disk of ${join(works, "not/yet/made")} is full, so this worker takes no sessions. Free some space; it then continues by itself.`
  expect(JSON.parse(out)).toEqual([false, [full]])
}, 60_000)
