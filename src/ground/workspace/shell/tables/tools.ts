/** Tools of the trade: package managers and languages, where they only report. */

import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Table } from "#ground/workspace/shell/program.ts"

/** Only its version: without a flag most of these would run what they are fed. */
function versionOf(flags: string): Shape {
  return {
    flags: `${flags} --help`,
    unless: (given) => (given.flags.size > 0 ? undefined : "it could run what it is fed"),
  }
}

const version: Shape = versionOf("-v --version")

/** They may name a compiler that lies in the project, which then runs in place of the real one. */
const toolchainFiles = ["rust-toolchain", "rust-toolchain.toml"] as const

/** It may send what is in the environment to a registry of its own choice. Read from the folder of the nearest package. */
const registryFiles = [".npmrc"] as const

/** They may name another version of the program, which is then fetched and run, or code that it loads. */
const packageManagerFiles = [".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml"] as const

const ownPackageManager = { unlessFile: packageManagerFiles, unlessProjectFile: registryFiles } as const
const pipList = "--format:word --not-required --user --local -o -u --outdated --uptodate -e --editable"
const pnpmList = "-r -P -D -g --recursive --prod --dev --global --json --long --parseable --depth:number"

const registryName = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:@[\w.^~<>=*-]+)?$/

/** A question to the registry about one package. */
const onePackage: Shape = { operands: "text?", unless: registryNames, unlessProjectFile: registryFiles }

export const tools: Table = {
  npm: {
    flagsAnywhere: true,
    alone: { flags: "-v --version" },
    subcommands: {
      ls: {
        flags:
          "-a -g -l --all --global --long --json --parseable --depth:number --omit:word --include:word --link --package-lock-only --unicode",
        operands: "text*",
        unless: registryNames,
      },
      list: {
        flags: "-a -g -l --all --global --long --json --parseable --depth:number --omit:word --include:word",
        operands: "text*",
        unless: registryNames,
      },
      view: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessProjectFile: registryFiles },
      info: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessProjectFile: registryFiles },
      show: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessProjectFile: registryFiles },
      outdated: {
        flags: "-a -g -l --all --global --long --json --parseable --depth:number",
        operands: "text*",
        unless: registryNames,
        unlessProjectFile: registryFiles,
      },
      why: { flags: "--json", operands: "text+", unless: registryNames },
      explain: { flags: "--json", operands: "text+", unless: registryNames },
      search: {
        flags: "--json --parseable --long",
        operands: "text+",
        unless: registryNames,
        unlessProjectFile: registryFiles,
      },
      fund: { flags: "--json" },
      ping: { unlessProjectFile: registryFiles },
      whoami: { unlessProjectFile: registryFiles },
      "dist-tag": { subcommands: { ls: onePackage, list: onePackage } },
      owner: { subcommands: { ls: onePackage, list: onePackage } },
      root: { flags: "-g --global" },
      prefix: { flags: "-g --global" },
      run: {},
      config: { subcommands: { get: { operands: "word" }, list: { flags: "--json" }, ls: { flags: "--json" } } },
      audit: {
        flags: "--json --omit:word --production --audit-level:word --package-lock-only",
        unlessProjectFile: registryFiles,
      },
      pkg: { subcommands: { get: { operands: "text*" } } },
      version: {},
    },
  },
  pip: {
    alone: { flags: "-V --version" },
    subcommands: {
      list: { flags: pipList },
      show: { flags: "-f --files", operands: "word+" },
      check: {},
    },
  },
  pip3: {
    alone: { flags: "-V --version" },
    subcommands: {
      list: { flags: pipList },
      show: { flags: "-f --files", operands: "word+" },
      check: {},
    },
  },
  pnpm: {
    flagsAnywhere: true,
    alone: { flags: "-v --version", ...ownPackageManager },
    subcommands: {
      list: { flags: pnpmList, operands: "text*", unless: registryNames, ...ownPackageManager },
      ls: { flags: pnpmList, operands: "text*", unless: registryNames, ...ownPackageManager },
      why: { flags: pnpmList, operands: "text+", unless: registryNames, ...ownPackageManager },
      outdated: { flags: pnpmList, operands: "text*", unless: registryNames, ...ownPackageManager },
    },
  },
  yarn: { ...version, ...ownPackageManager },
  go: {
    subcommands: {
      version: {},
      env: {
        flags: "-json",
        operands: "word*",
        unless: ({ operands }) =>
          operands.every(({ text }) => /^[A-Z0-9_]+$/.test(text)) ? undefined : "it could write a setting",
      },
    },
  },
  node: version,
  nodejs: version,
  deno: versionOf("-V --version"),
  bun: version,
  npx: version,
  python: versionOf("-V -VV --version"),
  python3: versionOf("-V -VV --version"),
  ruby: version,
  gem: { alone: version, subcommands: { list: { flags: "-l --local", operands: "word?" } } },
  php: version,
  perl: version,
  java: versionOf("-version --version"),
  javac: versionOf("-version --version"),
  gcc: version,
  "g++": version,
  clang: version,
  cc: version,
  make: version,
  tsc: version,
  eslint: version,
  prettier: versionOf("-v --version"),
  poetry: versionOf("-V --version"),
  rustup: {
    alone: versionOf("-V --version"),
    subcommands: { toolchain: { subcommands: { list: { flags: "-v --verbose" } } } },
  },
  uv: versionOf("-V --version"),
  cmake: version,
  curl: versionOf("-V --version"),
  wget: versionOf("-V --version"),
  psql: versionOf("-V --version"),
  mysql: versionOf("-V --version"),
  sqlite3: versionOf("-version --version"),
  openssl: { subcommands: { version: { flags: "-a -v -d" } } },
  rustc: { ...versionOf("-V -vV --version --verbose"), unlessFile: toolchainFiles },
  cargo: { ...versionOf("-V --version"), unlessFile: toolchainFiles },
}

/** A name of the registry, not a folder, a repository or an address: for those npm would fetch and build. */
function registryNames({ operands }: Sorted): string | undefined {
  return operands.every(
    ({ kind, text }) => kind === "exact" && registryName.test(text) && !/\.(?:tgz|tar|tar\.gz)$/i.test(text),
  )
    ? undefined
    : "it names something other than a package"
}

function firstIsRegistryName({ flags, values, operands }: Sorted): string | undefined {
  return registryNames({ flags, values, operands: operands.slice(0, 1) })
}
