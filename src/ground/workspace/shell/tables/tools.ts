/** Tools of the trade: containers, code hosts, package managers and languages, where they only report. */

import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import type { Table } from "#ground/workspace/shell/program.ts"

/** Only its version: without a flag most of these would run what they are fed. */
function versionOf(flags: string): Shape {
  return { flags, unless: (given) => (given.flags.size > 0 ? undefined : "it could run what it is fed") }
}

const version: Shape = versionOf("-v --version")

/** No --web, which opens a browser, and no --watch, which does not end. */
const show = "-R:text --repo:text --json:text -q:text --jq:text -t:text --template:text --comments -c"
const list = `${show} -L:number --limit:number -s:word --state:word -l:text --label:text -a:text --assignee:text -A:text --author:text -S:text --search:text -B:word --base:word -H:word --head:word -d --draft --app:word -m:text --milestone:text --mention:text`

const runList = `${show} -L:number --limit:number -s:word --status:word -w:text --workflow:text -b:text --branch:text -u:text --user:text -e:text --event:text --created:text --commit:word -a --all`

const ghList: Shape = { flags: list }
const ghShow: Shape = { flags: show, operands: "text?" }

/** They may name a compiler that lies in the project, which then runs in place of the real one. */
const toolchainFiles = ["rust-toolchain", "rust-toolchain.toml"] as const

/** It may send what is in the environment to a registry of its own choice. */
const registryFiles = [".npmrc"] as const

const registryName = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:@[\w.^~<>=*-]+)?$/

export const tools: Table = {
  docker: {
    flagsAnywhere: true,
    alone: { flags: "-v --version" },
    subcommands: {
      ps: {
        flags:
          "-a -q -s -n:number -l -f:text --all --quiet --size --last:number --latest --filter:text --format:text --no-trunc",
      },
      images: {
        flags: "-a -q -f:text --all --quiet --digests --filter:text --format:text --no-trunc --tree",
        operands: "text?",
      },
      logs: { flags: "-t -n:word --timestamps --tail:word --since:text --until:text --details", operands: "text" },
      inspect: { flags: "-f:text -s --format:text --size --type:word", operands: "text+" },
      version: { flags: "-f:text --format:text" },
      info: { flags: "-f:text --format:text" },
      port: { operands: "text word?" },
      top: { operands: "text" },
      stats: {
        flags: "-a --all --no-stream --no-trunc --format:text",
        operands: "text*",
        unless: ({ flags }) => (flags.has("--no-stream") ? undefined : "it does not end"),
      },
      history: { flags: "-q -H --quiet --human --no-trunc --format:text", operands: "text" },
      container: {
        subcommands: {
          ls: { flags: "-a -q -s --all --quiet --size -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
          logs: { flags: "-t --timestamps --tail:word --since:text", operands: "text" },
        },
      },
      image: {
        subcommands: {
          ls: { flags: "-a -q --all --quiet -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      volume: {
        subcommands: {
          ls: { flags: "-q --quiet -f:text --filter:text --format:text" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      network: {
        subcommands: {
          ls: { flags: "-q --quiet -f:text --filter:text --format:text --no-trunc" },
          inspect: { flags: "-f:text --format:text", operands: "text+" },
        },
      },
      context: { subcommands: { ls: { flags: "-q --quiet --format:text" }, show: {} } },
    },
  },
  gh: {
    repository: true,
    flagsAnywhere: true,
    alone: { flags: "--version --help" },
    subcommands: {
      version: {},
      pr: {
        subcommands: {
          view: ghShow,
          list: ghList,
          status: { flags: `${show} --conflict-status` },
          diff: { flags: "-R:text --repo:text --color:word --name-only --patch", operands: "text?" },
          checks: { flags: "-R:text --repo:text --json:text -q:text --jq:text --required", operands: "text?" },
        },
      },
      issue: { subcommands: { view: ghShow, list: ghList, status: { flags: show } } },
      run: {
        subcommands: {
          view: {
            flags:
              "-R:text --repo:text --json:text -q:text --jq:text -v --verbose --log --log-failed -j:word --job:word -a:number --attempt:number --exit-status",
            operands: "word?",
          },
          list: { flags: runList },
        },
      },
      workflow: {
        subcommands: {
          list: { flags: "-R:text --repo:text -a --all -L:number --limit:number --json:text" },
          view: { flags: "-R:text --repo:text -r:word --ref:word -y --yaml", operands: "text?" },
        },
      },
      repo: {
        subcommands: {
          view: { flags: "--json:text -q:text --jq:text -b:word --branch:word", operands: "text?" },
          list: {
            flags:
              "-L:number --limit:number --json:text -q:text --jq:text --source --fork --archived --visibility:word --language:word --topic:word",
            operands: "word?",
          },
        },
      },
      release: {
        subcommands: {
          view: { flags: "-R:text --repo:text --json:text -q:text --jq:text", operands: "text?" },
          list: {
            flags: "-R:text --repo:text -L:number --limit:number --json:text --exclude-drafts --exclude-pre-releases",
          },
        },
      },
      label: { subcommands: { list: ghList } },
      auth: { subcommands: { status: { flags: "-h:word --hostname:word" } } },
    },
  },
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
      view: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessFile: registryFiles },
      info: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessFile: registryFiles },
      show: { flags: "--json", operands: "text text*", unless: firstIsRegistryName, unlessFile: registryFiles },
      outdated: {
        flags: "-a -g -l --all --global --long --json --parseable --depth:number",
        operands: "text*",
        unless: registryNames,
        unlessFile: registryFiles,
      },
      why: { flags: "--json", operands: "text+", unless: registryNames },
      explain: { flags: "--json", operands: "text+", unless: registryNames },
      root: { flags: "-g --global" },
      prefix: { flags: "-g --global" },
      run: {},
      config: { subcommands: { get: { operands: "word" } } },
      pkg: { subcommands: { get: { operands: "text*" } } },
      version: {},
    },
  },
  pip: {
    alone: { flags: "-V --version" },
    subcommands: {
      list: { flags: "--format:word --not-required --user --local" },
      show: { flags: "-f --files", operands: "word+" },
    },
  },
  pip3: {
    alone: { flags: "-V --version" },
    subcommands: {
      list: { flags: "--format:word --not-required --user --local" },
      show: { flags: "-f --files", operands: "word+" },
    },
  },
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
  gem: version,
  php: version,
  perl: version,
  java: versionOf("-version --version"),
  javac: versionOf("-version --version"),
  gcc: version,
  "g++": version,
  clang: version,
  cc: version,
  make: version,
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
