/** Development tools: JavaScript package managers and programs known by their version, where they only report. */

import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Family, KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import { judgeNpx } from "#ground/workspace/shell/programs/npx.ts"
import { lazily } from "#lib/lazily.ts"
import { versionOf } from "./versions.ts"

const version: Shape = versionOf("-v --version")

/** They may name another version of the program, which is then downloaded and run, or code that it loads. */
const packageManagerFiles = [
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pnpmfile.mjs",
  ".pnpmfile.js",
  "pnpm-workspace.yaml",
] as const

const ownPackageManager = {
  unlessFile: packageManagerFiles,
  unlessKey: ["packageManager", "devEngines", "pnpm"],
  unlessNpmrc: true,
} as const
const bunFiles = { unlessFile: ["bunfig.toml"], unlessNpmrc: true } as const
const pnpmList = "-r -P -D -g --recursive --prod --dev --global --json --long --parseable --depth:number"

const registryName = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:@[\w.^~<>=*-]+)?$/

/** A query to the registry about one package. */
const onePackage: Shape = { operands: "text?", unless: registryNames, asks: "network" }
const fromRegistry: Shape = {
  flags: "--json",
  operands: "text text*",
  unless: firstIsRegistryName,
  asks: "network",
}

/** The project's settings may name another registry, folders to create and programs to run, for every command. */
const npm: () => Family = lazily(() => ({
  flagsAnywhere: true,
  alone: { flags: "-v --version --help" },
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
    view: fromRegistry,
    info: fromRegistry,
    show: fromRegistry,
    outdated: {
      asks: "network",
      flags: "-a -g -l --all --global --long --json --parseable --depth:number",
      operands: "text*",
      unless: registryNames,
    },
    why: { flags: "--json", operands: "text+", unless: registryNames },
    explain: { flags: "--json", operands: "text+", unless: registryNames },
    search: {
      asks: "network",
      flags: "--json --parseable --long",
      operands: "text+",
      unless: registryNames,
    },
    fund: { flags: "--json" },
    ping: { asks: "network" },
    whoami: { asks: "network" },
    "dist-tag": { subcommands: { ls: onePackage, list: onePackage } },
    owner: { subcommands: { ls: onePackage, list: onePackage } },
    root: { flags: "-g --global" },
    prefix: { flags: "-g --global" },
    run: {},
    "run-script": {},
    help: {},
    query: { operands: "text" },
    v: fromRegistry,
    config: { subcommands: { get: { operands: "word" }, list: { flags: "--json" }, ls: { flags: "--json" } } },
    audit: {
      asks: "network",
      flags: "--json --omit:word --production --audit-level:word --package-lock-only",
    },
    pkg: { subcommands: { get: { operands: "text*" } } },
    version: {},
  },
}))

export const tools: () => Table = lazily(() => ({
  npm: withPlainSettings(npm()),
  pnpm: {
    flagsAnywhere: true,
    idleFlags: ["-r", "--recursive"],
    alone: { flags: "-v --version", ...ownPackageManager },
    subcommands: {
      list: { flags: pnpmList, operands: "text*", unless: registryNames, ...ownPackageManager },
      ls: { flags: pnpmList, operands: "text*", unless: registryNames, ...ownPackageManager },
      why: { flags: pnpmList, operands: "text+", unless: registryNames, ...ownPackageManager },
      outdated: { flags: pnpmList, operands: "text*", unless: registryNames, asks: "network", ...ownPackageManager },
      root: { flags: "-g --global", ...ownPackageManager },
      licenses: {
        subcommands: {
          list: { flags: "--json --prod --dev", ...ownPackageManager },
          ls: { flags: "--json --prod --dev", ...ownPackageManager },
        },
      },
    },
  },
  yarn: {
    alone: { ...version, ...ownPackageManager },
    // In some versions any other word is a script of the project.
    subcommands: {
      // Without a lock that names all, it asks the registry and repositories that the manifest names.
      why: {
        operands: "text",
        unless: registryNames,
        ...ownPackageManager,
        unlessFile: [...packageManagerFiles, "package.json"],
      },
    },
  },
  node: {
    letters: "whole",
    // It looks at the grammar of a file and runs none of it.
    flags: "-v --version -c --check --help",
    operands: "path?",
    unless: ({ flags, operands }) => {
      if (operands.length > 0) return flags.has("-c") || flags.has("--check") ? undefined : "it would run a file"
      return flags.size > 0 && !flags.has("-c") && !flags.has("--check") ? undefined : "it could run what it is fed"
    },
  },
  nodejs: version,
  deno: versionOf("-V --version"),
  bun: {
    alone: versionOf("-v --version --revision"),
    subcommands: {
      pm: { subcommands: { ls: { flags: "--all", ...bunFiles }, hash: bunFiles, bin: { flags: "-g", ...bunFiles } } },
    },
  },
  npx: { judge: judgeNpx },
  corepack: version,
  tsc: version,
  eslint: version,
  prettier: versionOf("-v --version"),
  cmake: {
    letters: "whole",
    flags: "-v --version --help -N -L -LA -LH -LAH",
    operands: "path?",
    // With -N it shows what was chosen before; without it, it would run the project's scripts.
    unless: ({ flags, operands }) => {
      const lists = ["-L", "-LA", "-LH", "-LAH"].some((flag) => flags.has(flag))
      if (operands.length === 0)
        return flags.size > 0 && !lists && !flags.has("-N") ? undefined : "it would run scripts"
      return lists && flags.has("-N") ? undefined : "it would run scripts"
    },
  },
  make: version,
  // Its library for directories reads settings from the working folder.
  curl: { ...versionOf("-V --version"), unlessFile: ["ldaprc"] },
  wget: versionOf("-V --version"),
  psql: versionOf("-V --version"),
  mysql: versionOf("-V --version"),
}))

/** A name in the registry, not a folder, a repository or a URL: for those npm would download and build. */
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

/** Every npm command, refused where the project's settings are more than plain. */
function withPlainSettings(program: KnownProgram): KnownProgram {
  if ("judge" in program) return program
  if (!("subcommands" in program)) return { ...program, unlessNpmrc: true }
  const { alone, subcommands } = program
  return {
    ...program,
    ...(alone && { alone: { ...alone, unlessNpmrc: true } }),
    subcommands: Object.fromEntries(
      Object.entries(subcommands).map(([name, inner]) => [name, withPlainSettings(inner)]),
    ),
  }
}
