/** The file behind a name: version managers, proxies and scripts on a real disk, with a PATH of their own. */

import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, linkSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { realPath } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"

const system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** A home and a project, and ways to put programs into them. */
async function machine() {
  const top = temporaryFolder()
  const root = realpathSync(top.path)
  const at = (path: string): string => `${root}/${path}`
  for (const folder of ["home", "project"]) mkdirSync(at(folder))
  let path = system
  const analyzer = await openCommandAnalyzer({ path: () => path }).load()
  const analyse = (command: string) =>
    analyzer.view().analyse(command, { cwd: at("project"), home: at("home"), roots: [at("project")], realPath })
  const made = (file: string): string => {
    mkdirSync(dirname(at(file)), { recursive: true })
    return at(file)
  }
  return {
    [Symbol.dispose]: () => top[Symbol.dispose](),
    at,
    binary: (file: string): void => copyFileSync("/usr/bin/true", made(file)),
    file: (file: string, text = ""): void => writeFileSync(made(file), text),
    script(file: string, text: string): void {
      writeFileSync(made(file), text)
      chmodSync(at(file), 0o755)
    },
    link: (file: string, target: string): void => symlinkSync(target, made(file)),
    hardLink: (file: string, target: string): void => linkSync(at(target), made(file)),
    remove: (file: string): void => rmSync(at(file)),
    /** Folders that are looked in before those of the system. */
    path(...folders: readonly string[]): void {
      path = [...folders.map(at), system].join(":")
    },
    segments: (command: string) => analyse(command).segments,
    isFree(command: string): boolean {
      const analysis = analyse(command)
      return analysis.understood && analysis.segments.every(({ verdict }) => verdict === "read_only")
    },
  }
}

const asdf = '#!/usr/bin/env bash\n# asdf-plugin: nodejs 20.11.0\nexec /opt/asdf/bin/asdf exec "node" "$@"\n'
const js = "#!/usr/bin/env node\nrequire('../lib/cli.js')\n"

const pyenv = (at: string): string =>
  `#!/usr/bin/env bash\nset -e\n[ -n "$PYENV_DEBUG" ] && set -x\n\nprogram="\${0##*/}"\n\nexec "${at}" exec "$program" "$@"\n`

describe("what is not the program it is called", () => {
  test("a shim of asdf asks, and so does what needs it as its interpreter", async () => {
    using here = await machine()
    here.script("home/.asdf/shims/node", asdf)
    here.script("home/.npm-global/lib/node_modules/npm/bin/npm-cli.js", js)
    here.link("home/.npm-global/bin/npm", "../lib/node_modules/npm/bin/npm-cli.js")
    expect(here.isFree("node --version")).toBe(true)
    here.path("home/.npm-global/bin", "home/.asdf/shims")
    expect(here.isFree("node --version")).toBe(false)
    expect(here.isFree("npm --version")).toBe(false)
    expect(here.segments("node --version")[0]?.why).toContain(".asdf/shims/node")
  })

  test.each([
    ["volta", "home/.volta/bin/node", "home/.volta/bin/volta-shim"],
    ["mise", "home/.local/share/mise/shims/node", "home/.local/bin/mise"],
    ["aqua", "home/.local/share/aquaproj-aqua/bin/kubectl", "home/.local/share/aquaproj-aqua/aqua-proxy"],
    ["snap", "home/bin/node", "home/snapd/snap"],
  ])("a link to %s asks", async (_, file, target) => {
    using here = await machine()
    here.binary(target)
    here.link(file, here.at(target))
    here.path(dirname(file))
    expect(here.isFree(file.endsWith("kubectl") ? "kubectl version --client" : "node --version")).toBe(false)
  })

  test("a copy of a proxy in a folder of shims asks, although it has the right name", async () => {
    using here = await machine()
    here.binary("home/.proto/shims/node")
    here.path("home/.proto/shims")
    expect(here.isFree("node --version")).toBe(false)
  })

  test.each(["yarn", "pnpm"])("%s from corepack asks; the package itself does not", async (name) => {
    using here = await machine()
    const node = "home/.nvm/versions/node/v20.11.0"
    here.binary(`${node}/bin/node`)
    here.script(`${node}/lib/node_modules/corepack/dist/${name}.js`, js)
    here.link(`${node}/bin/${name}`, `../lib/node_modules/corepack/dist/${name}.js`)
    here.path(`${node}/bin`)
    expect(here.isFree(`${name} --version`)).toBe(false)
    here.remove(`${node}/bin/${name}`)
    here.script(`${node}/lib/node_modules/${name}/bin/${name}.js`, js)
    here.link(`${node}/bin/${name}`, `../lib/node_modules/${name}/bin/${name}.js`)
    expect(here.isFree(`${name} --version`)).toBe(true)
  })

  test.each(["link", "hard link"])("a proxy of rustup (%s) is judged by what chooses the toolchain", async (kind) => {
    using here = await machine()
    here.binary("home/.cargo/bin/rustup")
    for (const name of ["rustc", "cargo", "rust-analyzer"])
      if (kind === "link") here.link(`home/.cargo/bin/${name}`, "rustup")
      else here.hardLink(`home/.cargo/bin/${name}`, "home/.cargo/bin/rustup")
    here.binary("home/.cargo/bin/rg")
    here.path("home/.cargo/bin")
    for (const command of ["rustc --version", "cargo --version", "rust-analyzer --version", "rg x"])
      expect([command, here.isFree(command)]).toEqual([command, true])
    here.file("project/rust-toolchain.toml", '[toolchain]\npath = "./evil"\n')
    for (const command of ["rustc --version", "cargo --version", "rust-analyzer --version"])
      expect([command, here.isFree(command)]).toEqual([command, false])
    expect(here.isFree("rg x")).toBe(true)
  })

  test("rust-analyzer of a system package is itself, whatever the project says", async () => {
    using here = await machine()
    here.binary("home/.rustup/toolchains/stable/bin/rust-analyzer")
    here.path("home/.rustup/toolchains/stable/bin")
    here.file("project/rust-toolchain.toml", '[toolchain]\npath = "./evil"\n')
    expect(here.isFree("rust-analyzer --version")).toBe(true)
  })

  test("a shim of pyenv is judged by .python-version", async () => {
    using here = await machine()
    here.script("home/.pyenv/shims/python3", pyenv(here.at("home/.pyenv/libexec/pyenv")))
    here.path("home/.pyenv/shims")
    expect(here.isFree("python3 --version")).toBe(true)
    here.file("project/.python-version", "../../project/evil\n")
    expect(here.isFree("python3 --version")).toBe(false)
  })

  test("a script of somebody's own asks", async () => {
    using here = await machine()
    here.script("home/bin/git", '#!/bin/sh\nexec direnv exec . git "$@"\n')
    here.script("home/.local/bin/ls", '#!/bin/sh\nexec eza "$@"\n')
    here.path("home/bin", "home/.local/bin")
    expect(here.isFree("git status")).toBe(false)
    expect(here.isFree("ls")).toBe(false)
    expect(here.isFree("/bin/ls")).toBe(true)
  })

  test("a link that leads into the project asks", async () => {
    using here = await machine()
    here.binary("project/tools/rg")
    here.link("home/bin/rg", here.at("project/tools/rg"))
    here.path("home/bin")
    expect(here.isFree("rg x")).toBe(false)
  })

  test("a wrapper is looked at as well", async () => {
    using here = await machine()
    here.script("home/bin/timeout", '#!/bin/sh\nexec ./run "$@"\n')
    here.path("home/bin")
    expect(here.isFree("timeout 5 ls")).toBe(false)
    expect(here.isFree("nice ls")).toBe(true)
  })
})

describe("what is the program", () => {
  test("binaries where people install them", async () => {
    using here = await machine()
    const files = [
      "home/.nvm/versions/node/v20.11.0/bin/node",
      "home/.local/share/mise/installs/node/20.11.0/bin/node",
      "home/.volta/tools/image/node/20.11.0/bin/node",
      "home/.asdf/installs/nodejs/20.11.0/bin/node",
      "home/.local/bin/node",
    ]
    for (const file of files) {
      here.binary(file)
      here.path(dirname(file))
      expect([file, here.isFree("node --version")]).toEqual([file, true])
    }
  })

  test("npm beside the node of nvm", async () => {
    using here = await machine()
    const node = "home/.nvm/versions/node/v20.11.0"
    here.binary(`${node}/bin/node`)
    here.script(`${node}/lib/node_modules/npm/bin/npm-cli.js`, js)
    here.link(`${node}/bin/npm`, "../lib/node_modules/npm/bin/npm-cli.js")
    here.path(`${node}/bin`)
    expect(here.isFree("npm --version && npm ls")).toBe(true)
  })

  test("a Python program beside its interpreter", async () => {
    using here = await machine()
    const bin = "home/.local/share/pipx/venvs/black/bin"
    here.link(`${bin}/python`, "/usr/bin/python3")
    here.script(`${bin}/black`, `#!${here.at(bin)}/python\nimport sys\nfrom black import main\nsys.exit(main())\n`)
    here.link("home/.local/bin/black", here.at(`${bin}/black`))
    here.path("home/.local/bin")
    expect(here.isFree("black --version")).toBe(true)
  })

  test("pip of a virtual environment outside the project; not one whose interpreter lies elsewhere", async () => {
    using here = await machine()
    here.link("home/.virtualenvs/work/bin/python3", "/usr/bin/python3")
    here.script("home/.virtualenvs/work/bin/pip", `#!${here.at("home/.virtualenvs/work/bin/python3")}\nimport sys\n`)
    here.path("home/.virtualenvs/work/bin")
    expect(here.isFree("pip list && python3 --version")).toBe(true)
    here.script("home/.virtualenvs/work/bin/pip", `#!${here.at("project/python3")}\nimport sys\n`)
    expect(here.isFree("pip list")).toBe(false)
  })

  test("everything that the tables know and this machine has in its system folders", async () => {
    using here = await machine()
    for (const command of [
      "ls",
      "cat a",
      "git status",
      "grep x a",
      "which ls",
      "zcat a.gz",
      "egrep x a",
      "sh --version",
    ])
      expect([command, here.isFree(command)]).toEqual([command, true])
  })

  test("a name under which nothing would run", async () => {
    using here = await machine()
    here.path("home/nothing-here")
    expect(here.isFree("golangci-lint --version")).toBe(true)
  })
})

test("a file that takes the place of another one is noticed", async () => {
  using here = await machine()
  here.binary("home/.local/bin/node")
  here.path("home/.local/bin")
  expect(here.isFree("node --version")).toBe(true)
  here.remove("home/.local/bin/node")
  here.script("home/.local/bin/node", asdf)
  expect(here.isFree("node --version")).toBe(false)
})

test("a program of the project on the PATH does not run where only reading is allowed, and a line that writes relies on it", async () => {
  using here = await machine()
  here.script("project/node_modules/.bin/rg", "#!/bin/sh\ntouch x\n")
  here.script("project/node_modules/.bin/ls", "#!/bin/sh\ntouch x\n")
  here.path("project/node_modules/.bin")
  expect(here.isFree("ls")).toBe(true)
  expect(here.segments("ls")[0]?.relies).toBe(true)
  here.path()
  expect(here.segments("ls")[0]?.relies).toBe(false)
})
