/**
 * The program as it is shipped, in roots that have only what each way of installing needs: installed, run to the end of the
 * sample, updated, taken back and removed, and afterwards every file compared. At night two builds are compared as well.
 */

import { expect, test } from "bun:test"
import { cpSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type BareRoot, bareRoot, installerTools } from "../../kit/bare-root.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { makeKey, makeRelease, targetHere } from "../../kit/releases.ts"
import { lastingFolder, temporaryFolder } from "../../kit/tmp.ts"
import { version } from "../../../package.json"
import { isNight } from "../../kit/runs.ts"

const repository = resolve(import.meta.dir, "../../..")
const newer = "99.1.0"

/** Releases of the program as it is tested, and of one that is built with a newer number; and a server that has both. */
async function published(): Promise<{ readonly releases: string; readonly key: string; readonly url: string }> {
  const shipped = process.env["CODEWRIGHT_TEST_PROGRAM"]
  const program = shipped !== undefined && !shipped.endsWith("/bin/codewright") ? shipped : await builtProgram()
  const place = lastingFolder()
  const releases = join(place, "releases")
  const key = makeKey(join(place, "key"))
  makeRelease(releases, { version, key, program })
  makeRelease(releases, { version: newer, key })
  cpSync(`${key}.pub`, join(releases, "key.pub"))
  return { releases, key, url: await serve(releases, join(place, "tls-key.pem")) }
}

/** Over https, from a process of its own: ours waits for the programs in the root. */
async function serve(folder: string, key: string): Promise<string> {
  const cert = join(folder, "ca.pem")
  const request =
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
  const names = ["-addext", "subjectAltName=IP:127.0.0.1"]
  const made = Bun.spawnSync([...request.split(" "), ...names, "-keyout", key, "-out", cert])
  if (made.exitCode !== 0) throw new Error(made.stderr.toString())
  const script = `const [folder, key, cert] = ${JSON.stringify([folder, key, cert])}
    const { port } = Bun.serve({
      hostname: "127.0.0.1", port: 0, tls: { key: Bun.file(key), cert: Bun.file(cert) },
      async fetch(request) {
        const file = Bun.file(folder + new URL(request.url).pathname)
        return (await file.exists()) ? new Response(file) : new Response("", { status: 404 })
      },
    })
    console.log(port)`
  const server = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" })
  server.unref()
  process.on("exit", () => server.kill())
  for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) return `https://127.0.0.1:${text.trim()}`
  throw new Error("the server did not start")
}

/** The last commit of another checkout in a folder of its own. Its packages are hard links: where they really are decides the names of chunks. */
function cloneWithPackages(from: string, tree: string): string {
  const packages = realpathSync(join(repository, "node_modules"))
  mkdirSync(dirname(tree), { recursive: true })
  for (const argv of [
    ["git", "clone", "--quiet", from, tree],
    ["mkdir", "-p", join(tree, "node_modules/.cache")],
    ["sh", "-c", 'cp -al "$0"/* "$1" || cp -a "$0"/* "$1"', packages, join(tree, "node_modules")],
    // What is downloaded, and what is found by its contents.
    ...["codewright-platforms", "codewright-compressed"].map((name) => [
      "ln",
      "-s",
      join(packages, ".cache", name),
      join(tree, "node_modules/.cache", name),
    ]),
  ]) {
    const { exitCode, stderr } = Bun.spawnSync(argv)
    if (exitCode !== 0) throw new Error(`${argv.join(" ")}: ${stderr.toString()}`)
  }
  return tree
}

const projectTools = ["bash", "node", "env"]
const npm = dirname(dirname(realpathSync(Bun.which("npm") ?? "/usr/bin/npm")))

/** With the sample in the user's folder, and Node and npm for its tests. */
function rootWithSample(path: string, tools: readonly string[]): BareRoot {
  const root = bareRoot(path, [...tools, ...projectTools])
  cpSync(join(repository, "sample"), join(path, "home/user/sample"), { recursive: true })
  mkdirSync(join(path, "npm"))
  writeFileSync(join(path, "bin/npm"), '#!/bin/sh\nexec node /npm/bin/npm-cli.js "$@"\n', { mode: 0o755 })
  return root
}

const mountsOf = (releases: string): readonly string[] => ["--ro-bind", releases, "/releases", "--ro-bind", npm, "/npm"]

const fixIt = [
  ..."-p --model sim --permission-mode acceptEdits --allowed-tools".split(" "),
  "Bash(npm test:*)",
  "--",
  "Fix the failing test",
]

/** What the run leaves in the sample and in the cache of npm is not what is compared. */
const compared = (root: BareRoot): readonly string[] =>
  root.listed().filter((line) => !/^\/(?:home\/user\/(?:sample|\.npm)\/|npm\/|releases\/|tmp\/)/.test(line))

function runsTheSample(root: BareRoot, program: string, mounts: readonly string[]): void {
  const { code, said } = root.run([program, ...fixIt], { mounts, cwd: "/home/user/sample" })
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("All 14 tests pass now.") })
  expect(root.run(["npm", "test"], { mounts, cwd: "/home/user/sample" }).code).toBe(0)
}

if (isNight) {
  const { releases, key, url } = await published()
  const mounts = mountsOf(releases)
  const fromServer = { CODEWRIGHT_UPDATE_SOURCE: url, NODE_EXTRA_CA_CERTS: "/releases/ca.pem" }
  const env = { CODEWRIGHT_UPDATE_SOURCE: "/releases", CODEWRIGHT_UPDATE_KEY: "/releases/key.pub" }

  test("the shell installer: install, run, update, go back, remove", () => {
    using folder = temporaryFolder()
    const root = rootWithSample(folder.path, installerTools)
    const before = compared(root)
    const online = { mounts: ["--share-net", ...mounts], env: { ...env, ...fromServer } }
    const run = (...argv: readonly string[]): { readonly code: number } => root.run(argv, online)
    expect(run("sh", "/releases/install.sh", "--from", "/releases", "--version", version)).toMatchObject({ code: 0 })
    runsTheSample(root, "codewright", mounts)
    expect(run("codewright", "update")).toMatchObject({ code: 0 })
    expect(run("codewright", "--version")).toMatchObject({ said: `${newer} (Codewright)` })
    // The new program is real, so it can do all that the old one could.
    rmSync(join(root.path, "home/user/sample"), { recursive: true })
    cpSync(join(repository, "sample"), join(root.path, "home/user/sample"), { recursive: true })
    runsTheSample(root, "codewright", mounts)
    expect(run("codewright", "update")).toMatchObject({ code: 0, said: expect.stringContaining(newer) })
    expect(run("codewright", "update", "--back")).toMatchObject({ code: 0, said: `Now using ${version}.` })
    expect(run("codewright", "--version")).toMatchObject({ said: `${version} (Codewright)` })
    expect(run("codewright", "uninstall")).toMatchObject({ code: 1 })
    expect(run("codewright", "uninstall", "--all")).toMatchObject({ code: 0 })
    expect(compared(root)).toEqual([...before])
  }, 600_000)

  test("npm: install, run, remove by its own commands", () => {
    using folder = temporaryFolder()
    const root = rootWithSample(folder.path, ["sh", "uname", "rm"])
    const before = compared(root)
    const global = [
      "--global",
      "--prefix=/home/user/.local",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ]
    const archives = ["codewright", `codewright-${targetHere}`].map(
      (name) => `/releases/${version}/${name}-${version}.tgz`,
    )
    expect(root.run(["npm", "install", ...global, ...archives], { mounts })).toMatchObject({ code: 0 })
    runsTheSample(root, "codewright", mounts)
    expect(root.run(["codewright", "update"], { mounts, env })).toMatchObject({
      code: 1,
      said: expect.stringContaining("npm install -g codewright@latest"),
    })
    expect(root.run(["codewright", "uninstall", "--all"], { mounts })).toMatchObject({
      code: 1,
      said: expect.stringContaining("npm uninstall -g codewright"),
    })
    const names = ["codewright", `codewright-${targetHere}`]
    expect(root.run(["npm", "uninstall", ...global, ...names], { mounts })).toMatchObject({ code: 0 })
    const left = compared(root).filter(
      (line) => !/^\/home\/user\/(?:\.npm|\.local)\/(?:bin\/|lib\/|lib\/node_modules\/)?$/.test(line),
    )
    expect(left.filter((line) => !line.includes("/.package-lock.json"))).toEqual([...before])
  }, 600_000)

  test("Debian: install, run, remove with dpkg", () => {
    using folder = temporaryFolder()
    const root = rootWithSample(folder.path, ["sh"])
    for (const path of ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"])
      mkdirSync(join(root.path, path), { recursive: true })
    for (const file of ["status", "available"]) writeFileSync(join(root.path, "var/lib/dpkg", file), "")
    const dpkg = (...argv: readonly string[]): number => {
      const flags = ["--force-not-root", "--force-depends", "--log=/dev/null", `--root=${root.path}`]
      return Bun.spawnSync(["dpkg", ...flags, ...argv], { stdout: "ignore", stderr: "ignore" }).exitCode
    }
    const before = compared(root).filter((line) => !line.startsWith("/var/lib/dpkg/"))
    const architecture = process.arch === "x64" ? "amd64" : "arm64"
    expect(dpkg("--install", join(releases, version, `codewright_${version}_${architecture}.deb`))).toBe(0)
    runsTheSample(root, "/usr/bin/codewright", mounts)
    expect(root.run(["/usr/bin/codewright", "update"], { mounts, env }).said).toContain(
      "was installed as a Debian package",
    )
    root.run(["/usr/bin/codewright", "uninstall", "--all"], { mounts })
    expect(dpkg("--purge", "codewright")).toBe(0)
    expect(compared(root).filter((line) => !line.startsWith("/var/lib/dpkg/"))).toEqual([...before])
  }, 600_000)

  test("a commit gives the same files in any folder, home, time zone, language and umask, and names none of them", async () => {
    // On the disk, where packages can be hard links.
    using folder = temporaryFolder("/var/tmp")
    const build = (from: string, name: string, umask: string, locale: { readonly [name: string]: string }): string => {
      const tree = cloneWithPackages(from, folder.join(name, "tree"))
      const out = folder.join(name, "out")
      mkdirSync(folder.join(name, "home"))
      const argv = [
        process.execPath,
        "scripts/release.ts",
        "--fast",
        `--targets=${targetHere}`,
        "--key",
        key,
        "--out",
        out,
      ]
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", `umask ${umask}; exec "$@"`, "sh", ...argv], {
        cwd: tree,
        env: { PATH: process.env["PATH"], HOME: folder.join(name, "home"), ...locale },
        stdout: "ignore",
      })
      expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({ exitCode: 0, stderr: "" })
      return out
    }
    const first = build(repository, "a", "022", { TZ: "UTC", LC_ALL: "C" })
    const second = build(folder.join("a/tree"), "another place", "077", { TZ: "Asia/Tokyo", LC_ALL: "de_DE.UTF-8" })
    const sums = (out: string): Promise<string> => Bun.file(join(out, version, "SHA256SUMS")).text()
    expect(await sums(second)).toBe(await sums(first))
    const program = Buffer.from(await Bun.file(join(first, "programs", targetHere, "codewright")).bytes())
    expect([repository, folder.path].filter((path) => program.includes(path))).toEqual([])
  }, 1_200_000)
} else
  test("the ways of installing are tried with the real program by npm run nightly", () => {
    expect(Bun.which("bwrap")).not.toBeNull()
  })
