/** install.sh and the npm loader, with small programs, in a root that has nothing else. */

import { expect, test } from "bun:test"
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bareRoot, installerTools } from "../../kit/bare-root.ts"
import { makeKey, makeRelease, smallProgram, targetHere } from "../../kit/releases.ts"
import { lastingFolder, temporaryFolder } from "../../kit/tmp.ts"

const place = lastingFolder()
const key = makeKey(join(place, "key"))
const releases = join(place, "releases")
const program = smallProgram(join(place, "program"), "1.2.3")
makeRelease(releases, { version: "1.2.3", key, program })
const installed = ["--ro-bind", releases, "/releases"]
const install = ["sh", "/releases/install.sh", "--from", "/releases"]

test("it installs for one user, says what it did, and changes no profile unless asked", () => {
  using folder = temporaryFolder()
  const root = bareRoot(folder.path, installerTools)
  const before = root.listed()
  const { code, said } = root.run(install, { mounts: installed })
  expect({ code, said }).toEqual({
    code: 0,
    said: `Installed Codewright 1.2.3
  program  /home/user/.local/share/codewright/versions/1.2.3/codewright
  link     /home/user/.local/bin/codewright
  link     /home/user/.local/bin/cw
Try it without an account: codewright demo. Remove it with: codewright uninstall`,
  })
  expect(root.run(["codewright", "--version"]).said).toBe("1.2.3 (Codewright)")
  expect(
    root
      .listed()
      .filter((line) => !before.includes(line))
      .every((line) => line.startsWith("/home/user/.local/")),
  ).toBe(true)
  expect(root.run(install, { mounts: installed })).toMatchObject({
    code: 1,
    said: "error: Codewright is installed in /home/user/.local/share/codewright already. Update it with: codewright update",
  })
})

test("it downloads the smallest archive that the machine can unpack at once", () => {
  for (const [tools, ending] of [
    [[], "tar.gz"],
    [["xz"], "tar.xz"],
    [["xz", "zstd"], "tar.zst"],
  ] as const) {
    using folder = temporaryFolder()
    const root = bareRoot(folder.path, [...installerTools, ...tools])
    const only = join(place, `only-${ending}`)
    cpSync(releases, only, { recursive: true })
    for (const other of ["tar.gz", "tar.xz", "tar.zst"].filter((each) => each !== ending))
      rmSync(join(only, "1.2.3", `codewright-1.2.3-${targetHere}.${other}`))
    const run = root.run(install, { mounts: ["--ro-bind", only, "/releases"] })
    expect({ ending, ...run }).toMatchObject({ ending, code: 0, said: expect.stringContaining("Installed Codewright") })
  }
})

test("asked to, it adds one line to the profile", () => {
  using folder = temporaryFolder()
  const root = bareRoot(folder.path, installerTools)
  const options = { mounts: installed, env: { PATH: "/bin", SHELL: "/bin/bash" } }
  expect(root.run(install, options).said).toContain("/home/user/.local/bin is not on your PATH.")
  root.run(["rm", "-rf", "/home/user/.local"])
  expect(root.run([...install, "--add-to-path"], options).code).toBe(0)
  expect(root.run(["cat", "/home/user/.bashrc"]).said).toBe(
    'PATH="/home/user/.local/bin:$PATH" # added by the Codewright installer',
  )
})

test("whatever is wrong is said, and nothing stays behind", () => {
  using folder = temporaryFolder()
  const root = bareRoot(folder.path, installerTools)
  const before = root.listed()
  const changed = (name: string, file: string): readonly string[] => {
    const copy = join(place, `changed-${name}`)
    cpSync(releases, copy, { recursive: true })
    for (const each of ["latest", "1.2.3"].map((version) => join(copy, version, file))) writeFileSync(each, "changed")
    return ["--ro-bind", copy, "/releases"]
  }
  const archive = `codewright-1.2.3-${targetHere}.tar.gz`
  const cases: readonly (readonly [readonly string[], readonly string[], string])[] = [
    [install, changed("sums", "SHA256SUMS"), "the signature of the release is wrong. Nothing was installed"],
    [install, changed("signature", "SHA256SUMS.sig"), "the signature of the release is wrong. Nothing was installed"],
    [install, changed("archive", archive), `${archive} is damaged: its checksum is wrong. Nothing was installed`],
    [
      [...install, "--key", "ssh-ed25519 AAAA"],
      installed,
      "the signature of the release is wrong. Nothing was installed",
    ],
    [[...install, "--version", "9.9.9"], installed, "/releases/9.9.9/SHA256SUMS cannot be read"],
    [["sh", "/releases/install.sh"], installed, "where releases are is not known"],
    [["sh", "/releases/install.sh", "--from", "http://example.com"], installed, "releases come from https addresses"],
    [install, [...installed, "--ro-bind", join(root.path, "home"), "/home"], "cannot be made"],
    [install, [...installed, "--size", "4096", "--tmpfs", "/home/user"], "no space left"],
    [install, [...installed, "--ro-bind", "/dev/null", "/bin/ssh-keygen"], "signature"],
  ]
  for (const [argv, mounts, expected] of cases) {
    const { code, said } = root.run(argv, { mounts })
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining(expected) })
    expect(root.listed()).toEqual(before)
  }
})

test("anybody can check a release with ssh-keygen and sha256sum alone", () => {
  const folder = join(releases, "1.2.3")
  writeFileSync(join(place, "signers"), `releases ${Bun.spawnSync(["ssh-keygen", "-y", "-f", key]).stdout.toString()}`)
  const verify = [
    "ssh-keygen",
    "-Y",
    "verify",
    "-f",
    join(place, "signers"),
    "-I",
    "releases",
    "-n",
    "codewright-release",
  ]
  const checked = Bun.spawnSync([...verify, "-s", "SHA256SUMS.sig"], {
    cwd: folder,
    stdin: Bun.file(join(folder, "SHA256SUMS")),
  })
  expect(checked.exitCode).toBe(0)
  expect(Bun.spawnSync(["sha256sum", "--check", "--strict", "SHA256SUMS"], { cwd: folder }).exitCode).toBe(0)
})

test("the same program makes the same files", () => {
  const again = join(place, "again")
  makeRelease(again, { version: "1.2.3", key, program })
  const sums = (folder: string): Promise<string> => Bun.file(join(folder, "1.2.3/SHA256SUMS")).text()
  expect(sums(again)).resolves.toBe(Bun.spawnSync(["cat", join(releases, "1.2.3/SHA256SUMS")]).stdout.toString())
  expect(readdirSync(join(again, "1.2.3"))).toEqual(readdirSync(join(releases, "1.2.3")))
})

test("the npm loader starts the program of its platform, and says what to do when that is missing", () => {
  const modules = join(place, "node_modules")
  for (const name of ["codewright", `codewright-${targetHere}`]) {
    mkdirSync(join(modules, name), { recursive: true })
    const unpacked = Bun.spawnSync(
      ["tar", "-xzf", join(releases, "1.2.3", `${name}-1.2.3.tgz`), "--strip-components=1"],
      {
        cwd: join(modules, name),
      },
    )
    expect(unpacked.exitCode).toBe(0)
  }
  const run = (): { readonly code: number; readonly said: string } => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([
      "node",
      join(modules, "codewright/bin/codewright.mjs"),
      "--version",
    ])
    return { code: exitCode, said: `${stdout.toString()}${stderr.toString()}` }
  }
  expect(run()).toEqual({ code: 0, said: "1.2.3 (Codewright)\n" })
  const manifest = JSON.parse(
    Bun.spawnSync(["cat", join(modules, `codewright-${targetHere}/package.json`)]).stdout.toString(),
  )
  expect(manifest).toMatchObject({ os: ["linux"], cpu: [process.arch], libc: ["glibc"] })
  expect(manifest.scripts).toBeUndefined()
  Bun.spawnSync(["rm", "-r", join(modules, `codewright-${targetHere}`)])
  expect(run()).toEqual({
    code: 1,
    said: `error: the package codewright-${targetHere} is not installed. Reinstall without --omit=optional: npm install -g codewright\n`,
  })
})

test("the Debian package is one, and the list of parts names what is shipped", async () => {
  const { stdout } = Bun.spawnSync(["dpkg-deb", "--contents", join(releases, "1.2.3/codewright_1.2.3_amd64.deb")])
  expect(stdout.toString()).toContain("./usr/bin/codewright -> ../lib/codewright/codewright")
  expect(stdout.toString()).toContain("./usr/lib/systemd/system/codewright-worker@.service")
  expect(stdout.toString()).toContain("./usr/share/doc/codewright/deploy/compose.yaml")
  const { components } = await Bun.file(join(releases, "1.2.3/sbom.cdx.json")).json()
  const names = components.map(({ name }: { readonly name: string }) => name)
  expect(names).toContain("zod")
  expect(names).toContain("bun")
  expect(names).not.toContain("fast-check")
  expect(names.filter((name: string) => name.startsWith("@vscode/ripgrep-")).toSorted()).toEqual(
    ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].map((platform) => `@vscode/ripgrep-${platform}`),
  )
})

test("the formula follows Homebrew's rules, and names the archive that was made", async () => {
  const text = await Bun.file(join(releases, "1.2.3/codewright.rb")).text()
  const [, desc = ""] = /^ {2}desc "(.*)"$/m.exec(text) ?? []
  expect(desc).toMatch(/^(?!An? |The )[A-Z].{10,77}[^. ]$/)
  const archive = `codewright-1.2.3-${targetHere}.tar.xz`
  const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(join(releases, "1.2.3", archive)).bytes())
  expect(text).toContain(`/1.2.3/${archive}"\n      sha256 "${digest.digest("hex")}"`)
})
