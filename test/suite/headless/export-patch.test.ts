/** `codewright sessions export --patch`: what a session changed, applied to a fresh copy, gives the same files. */

import { expect, test } from "bun:test"
import { chmodSync, cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { driven } from "../../kit/driven.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, edit, read, says, write } from "../../kit/script.ts"

const files = {
  "text.txt": "one\ntwo\nthree\n",
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "no-end.txt": "no line end",
  "gone.txt": "goes\n",
  "old name.txt": "stays the same\n",
  "run.sh": "#!/bin/sh\n",
  "latin.txt": "x\n",
  "becomes-link.txt": "a file\n",
}

const command = [
  "rm gone.txt",
  "mv 'old name.txt' 'new \"name\".txt'",
  "chmod +x run.sh",
  "printf 'caf\\351\\n' > latin.txt",
  "head -c 3000 /dev/zero | tr '\\0' '\\377' > ones.bin; printf '\\0' > zero.bin; rm -f picture.bin",
  "printf '\\1\\0\\2changed' > data.bin",
  "rm becomes-link.txt; ln -s text.txt becomes-link.txt",
  "printf more >> no-end.txt; : > empty.txt",
].join(" && ")

const script = [
  calls(read("text.txt"), read("crlf.txt")),
  calls(edit("text.txt", "two", "TWO"), edit("crlf.txt", "two", "TWO"), write("deep/new/file.txt", "new\n")),
  calls(bash(command)),
  says("done"),
]

/** Everything below a folder: kind, whether it can be run, and content. */
function seen(folder: string, below = ""): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, below)).flatMap((name) => {
      const path = join(below, name)
      const stats = lstatSync(join(folder, path))
      if (name === ".git") return []
      if (stats.isDirectory()) return Object.entries(seen(folder, path))
      if (stats.isSymbolicLink()) return [[path, `link ${readlinkSync(join(folder, path))}`]]
      return [[path, `${stats.mode & 0o100 ? "x" : "-"} ${readFileSync(join(folder, path), "base64")}`]]
    }),
  )
}

function git(cwd: string, ...argv: readonly string[]): { readonly code: number; readonly said: string } {
  const ran = Bun.spawnSync(["git", "-c", "core.autocrlf=false", ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
  })
  return { code: ran.exitCode, said: ran.stderr.toString() }
}

async function worked(): Promise<{ readonly place: Place; readonly id: string; readonly fresh: string } & Disposable> {
  const place = openPlace(files)
  writeFileSync(
    join(place.work, "data.bin"),
    Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256),
  )
  writeFileSync(join(place.work, "picture.bin"), new Uint8Array(300))
  chmodSync(join(place.work, "text.txt"), 0o644)
  const fresh = join(place.path, "fresh")
  cpSync(place.work, fresh, { recursive: true })
  const id = await driven(place, script, [{ prompt: "change" }])
  return { place, id, fresh, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

test.concurrent(
  "git takes it, and both ways: new, deleted, renamed, permissions, links, binary, line ends",
  async () => {
    using all = await worked()
    const { place, id, fresh } = all
    const patch = join(place.path, "all.patch")
    const run = await runCodewright({ place, cwd: "/", argv: ["sessions", "export", id, "--patch", "-o", patch] })
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
    git(fresh, "init", "-q")
    const before = seen(fresh)
    expect(git(fresh, "apply", "--check", patch)).toEqual({ code: 0, said: "" })
    git(fresh, "apply", "--whitespace=nowarn", patch)
    expect(seen(fresh)).toEqual(seen(place.work))
    expect(git(fresh, "apply", "--whitespace=nowarn", "-R", patch)).toEqual({ code: 0, said: "" })
    expect(seen(fresh)).toEqual(before)
  },
)

test.concurrent("where the snapshots are gone, it is made of what the edits showed, and says so", async () => {
  using all = await worked()
  const { place, id } = all
  rmSync(join(place.state, "file-history"), { recursive: true })
  const run = await runCodewright({ place, argv: ["sessions", "export", id, "--format", "patch"] })
  expect({ code: run.code, stderr: run.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("only edits by tools, without changes made by commands"),
  })
  expect(run.stdout).toContain("+TWO")
  expect(run.stdout).not.toContain("gone.txt")
})
