/** `codewright update` and `uninstall` as they are shipped, on an installation whose other versions are small scripts. */

import { expect, test } from "bun:test"
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { builtProgram } from "../../kit/built-program.ts"
import { makeKey, makeRelease, smallProgram, targetHere } from "../../kit/releases.ts"
import { lastingFolder } from "../../kit/tmp.ts"
import { version } from "../../../package.json"

const shipped = process.env["CODEWRIGHT_TEST_PROGRAM"]
const program = shipped !== undefined && !shipped.endsWith("/bin/codewright") ? shipped : await builtProgram()
// Beside the program, so that a hard link is enough.
const folder = lastingFolder(dirname(program))
const place = { path: folder, join: (...parts: string[]): string => join(folder, ...parts) }

const key = makeKey(place.join("key"))
const releases = place.join("releases")
const newer = "99.1.0"
for (const each of ["0.0.1", newer])
  makeRelease(releases, { version: each, key, program: smallProgram(place.join("programs", each), each) })

let count = 0

interface Installation {
  readonly root: string
  readonly home: string
  readonly source: string
  readonly run: (...argv: readonly string[]) => { readonly code: number; readonly said: string }
}

/** As install.sh makes it, with a copy of the releases to change. */
function installation(env: { readonly [name: string]: string } = {}): Installation {
  const home = place.join(`home-${++count}`)
  const root = join(home, ".local/share/codewright")
  const source = place.join(`source-${count}`)
  cpSync(releases, source, { recursive: true })
  mkdirSync(join(root, "versions", version), { recursive: true })
  mkdirSync(join(home, ".local/bin"))
  linkSync(program, join(root, "versions", version, "codewright"))
  symlinkSync(`versions/${version}`, join(root, "current"))
  symlinkSync(join(root, "current/codewright"), join(home, ".local/bin/codewright"))
  writeFileSync(
    join(root, "installation"),
    `made ${home}/.local\nmade ${home}/.local/share\nmade ${root}\nmade ${home}/.local/bin\nlink ${home}/.local/bin/codewright\n`,
  )
  return {
    root,
    home,
    source,
    run(...argv) {
      const { exitCode, stdout, stderr } = Bun.spawnSync([join(root, "versions", version, "codewright"), ...argv], {
        cwd: home,
        stdin: "ignore",
        env: { ...environmentOf({ home, source }), ...env },
      })
      return { code: exitCode, said: `${stdout.toString()}${stderr.toString()}`.trim() }
    },
  }
}

const environmentOf = ({
  home,
  source,
}: Pick<Installation, "home" | "source">): { readonly [name: string]: string } => ({
  PATH: "/usr/bin:/bin",
  HOME: home,
  CODEWRIGHT_UPDATE_SOURCE: source,
  CODEWRIGHT_UPDATE_KEY: `${key}.pub`,
})

const current = ({ root }: Installation): string => readlinkSync(join(root, "current"))
const versions = ({ root }: Installation): readonly string[] => readdirSync(join(root, "versions")).toSorted()
const archive = ({ source }: Installation): string => join(source, newer, `codewright-${newer}-${targetHere}.tar.zst`)

test("update switches and keeps the version before; --back returns; uninstall leaves nothing", () => {
  const it = installation()
  expect(it.run("update", "--check")).toEqual({
    code: 0,
    said: `Codewright ${newer} is available; this is ${version}.`,
  })
  expect(current(it)).toBe(`versions/${version}`)
  expect(it.run("update")).toEqual({
    code: 0,
    said: `Updated Codewright from ${version} to ${newer}. Go back with: codewright update --back`,
  })
  expect(current(it)).toBe(`versions/${newer}`)
  expect(versions(it)).toEqual([version, newer])
  expect(it.run("update").said).toBe(`Codewright ${newer} is the latest version.`)
  expect(it.run("update", "--back").said).toBe(`Now using ${version}.`)
  expect(current(it)).toBe(`versions/${version}`)
  expect(readdirSync(it.root).toSorted()).toEqual(["current", "installation", "lock", "versions"])

  expect(it.run("uninstall").code).toBe(existsSync(join(it.home, ".codewright")) ? 1 : 0)
  if (existsSync(join(it.home, ".codewright"))) expect(it.run("uninstall", "--all").code).toBe(0)
  expect(readdirSync(it.home)).toEqual([])
})

test("an older release is only installed when it is named", () => {
  const it = installation()
  cpSync(join(it.source, "0.0.1/SHA256SUMS"), join(it.source, "latest/SHA256SUMS"))
  cpSync(join(it.source, "0.0.1/SHA256SUMS.sig"), join(it.source, "latest/SHA256SUMS.sig"))
  expect(it.run("update").said).toContain("is newer than the latest release, 0.0.1.")
  expect(current(it)).toBe(`versions/${version}`)
  expect(it.run("update", "--to", "0.0.1").code).toBe(0)
  expect(current(it)).toBe("versions/0.0.1")
})

test("a damaged download, a wrong signature and another version's checksums change nothing", () => {
  const damaged = installation()
  writeFileSync(archive(damaged), "damaged")
  expect(damaged.run("update")).toMatchObject({
    code: 1,
    said: expect.stringContaining("is damaged: its checksum is not the signed one"),
  })
  const forged = installation()
  writeFileSync(join(forged.source, "latest/SHA256SUMS"), "0".repeat(64))
  expect(forged.run("update")).toMatchObject({
    code: 1,
    said: expect.stringContaining("The signature does not match."),
  })
  const swapped = installation()
  cpSync(join(swapped.source, "0.0.1"), join(swapped.source, newer), { recursive: true })
  expect(swapped.run("update", "--to", newer)).toMatchObject({
    code: 1,
    said: expect.stringContaining("holds version 0.0.1"),
  })
  const other = installation({ CODEWRIGHT_UPDATE_KEY: `${makeKey(place.join("other"))}.pub` })
  expect(other.run("update")).toMatchObject({ code: 1, said: expect.stringContaining("another key") })
  const plain = installation({ CODEWRIGHT_UPDATE_SOURCE: "http://example.com/releases" })
  expect(plain.run("update")).toMatchObject({ code: 1, said: expect.stringContaining("https addresses or folders") })
  for (const it of [damaged, forged, swapped, other, plain]) {
    expect(current(it)).toBe(`versions/${version}`)
    expect(versions(it)).toEqual([version])
  }
})

test("a program that does not start is not switched to", () => {
  const it = installation()
  makeRelease(it.source, { version: "99.2.0", key, program: smallProgram(place.join("programs/liar"), "1.2.3") })
  expect(it.run("update")).toMatchObject({
    code: 1,
    said: expect.stringContaining("does not start here: it says that it is 1.2.3"),
  })
  expect(versions(it)).toEqual([version])
})

test("while another update runs, in a read-only place and on a full disk nothing is lost", async () => {
  const busy = installation()
  const { Database } = await import("bun:sqlite")
  const lock = new Database(join(busy.root, "lock"))
  lock.run("begin exclusive")
  expect(busy.run("update")).toMatchObject({ code: 1, said: expect.stringContaining("Another update is running.") })
  lock.close()
  expect(busy.run("update").code).toBe(0)

  const full = installation()
  const readOnly = installation()
  const bound = (it: Installation, ...mounts: readonly string[]): string => {
    const { stdout, stderr } = Bun.spawnSync(
      [..."bwrap --dev-bind / /".split(" "), ...mounts, join(it.root, "versions", version, "codewright"), "update"],
      { cwd: it.home, stdin: "ignore", env: environmentOf(it) },
    )
    return `${stdout.toString()}${stderr.toString()}`
  }
  expect(bound(readOnly, "--ro-bind", readOnly.root, readOnly.root)).toContain("cannot be changed: it is read-only")
  // A place of 64 kB: the record and the link fit, a new version does not.
  makeRelease(full.source, { version: "99.3.0", key, program: largeProgram("99.3.0") })
  const tight = ["--size", "65536", "--tmpfs", full.root]
  const kept = [
    "--ro-bind",
    join(readOnly.root, "installation"),
    join(full.root, "installation"),
    "--symlink",
    `versions/${version}`,
    join(full.root, "current"),
  ]
  const own = [
    "--dir",
    join(full.root, "versions", version),
    "--ro-bind",
    program,
    join(full.root, "versions", version, "codewright"),
  ]
  expect(bound(full, ...tight, ...kept, ...own)).toContain("There is not enough space for the new version")
  for (const it of [readOnly, full]) expect(current(it)).toBe(`versions/${version}`)
})

/** More than a small disk holds. */
function largeProgram(itsVersion: string): string {
  const path = smallProgram(place.join("programs", itsVersion), itsVersion)
  writeFileSync(path, `#!/bin/sh\necho "${itsVersion} (Codewright)"\nexit\n${"#".repeat(1_000_000)}\n`)
  return path
}

test("killed at any moment, the link leads to a complete version, and the next update succeeds", async () => {
  const kills = Number(process.env["CODEWRIGHT_UPDATE_KILLS"] ?? 6)
  const it = installation()
  for (let at = 0; at < kills; at++) {
    const child = Bun.spawn([join(it.root, "versions", version, "codewright"), "update"], {
      cwd: it.home,
      stdio: ["ignore", "ignore", "ignore"],
      env: environmentOf(it),
    })
    await Bun.sleep((at * 150) / kills)
    child.kill("SIGKILL")
    await child.exited
    const { exitCode } = Bun.spawnSync([join(it.root, "current/codewright"), "--version"])
    expect(exitCode).toBe(0)
    if (current(it) === `versions/${newer}`) expect(it.run("update", "--back").code).toBe(0)
  }
  expect(it.run("update").code).toBe(0)
  expect(readdirSync(it.root).filter((name) => name.startsWith("incoming"))).toEqual([])
})

test("where npm owns the program, its commands are named and nothing is changed", () => {
  const bin = place.join("node_modules/codewright-linux-x64/bin")
  mkdirSync(bin, { recursive: true })
  linkSync(program, join(bin, "codewright"))
  const run = (...argv: readonly string[]): string =>
    Bun.spawnSync([join(bin, "codewright"), ...argv], {
      env: { HOME: place.path, PATH: "/usr/bin:/bin" },
    }).stderr.toString()
  expect(run("update")).toBe(
    "error: This copy of Codewright was installed by npm. To update it: npm install -g codewright@latest\n",
  )
  expect(run("uninstall", "--keep-data")).toBe(
    "error: This copy of Codewright was installed by npm. To remove it: npm uninstall -g codewright\n",
  )
})
