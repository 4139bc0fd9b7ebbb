/**
 * Programs that are only asked for their version: `--version` and the like, where that loads nothing of the project.
 */

import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Table } from "#ground/workspace/shell/programs/program.ts"
import { lazily } from "#lib/lazily.ts"

/** Only its version: without a flag most of these would run their input. */
export function versionOf(flags: string): Shape {
  return {
    flags: `${flags} --help`,
    unless: (words) => (words.flags.size > 0 ? undefined : "it could run what it is fed"),
  }
}

/**
 * They print their version before they look at the project. A program not known to do so is not here: hg loads the
 * extensions that a repository names, typedoc the plug-ins, whatever the flag.
 */
const plain: { readonly [flags: string]: string } = {
  "--version":
    "script autoconf automake cabal cppcheck caddy cargo-clippy clippy-driver crystal ctest dlv emacs fzf gdb ghc gofumpt gopls gpg gunicorn hadolint htop isort julia kind ld lldb meson mongod mongosh mypy nano nim ninja nox nvim opam pandoc pre-commit protoc R rake redis-cli redis-server rsync ruff rust-analyzer stack strace svn swift uvicorn vim virtualenv yamllint as nix Rscript",
  "--version -V": "gawk git-lfs tcpdump zsh",
  "--version -v": "aws fish nodenv",
  "-version --version": "ffmpeg ffprobe kotlin kotlinc ocaml scala staticcheck xcodebuild",
  "-v -V": "apachectl httpd nginx",
  "-V": "ssh",
  "-v --version": "irb lua luajit",
}

/** They delegate to the project's copy, if it has one. */
const local = "babel biome esbuild jest lerna rollup stylelint swc ts-node tsx vite vitest webpack"

/** Its configuration may be a program, and is loaded first. */
const mochaFiles = [".mocharc.js", ".mocharc.cjs", ".mocharc.mjs"] as const

const entries = (flags: string, names: string, more: Partial<Shape> = {}): Table =>
  Object.fromEntries(names.split(" ").map((name) => [name, { ...versionOf(flags), ...more }]))

export const versions: () => Table = lazily(() => ({
  ...Object.assign({}, ...Object.entries(plain).map(([flags, names]) => entries(flags, names))),
  ...entries("--version", local, { unlessFile: ["node_modules"] }),
  // The lock may name another version of it, which would be fetched.
  ...entries("-v --version", "bundle bundler", { unlessFile: ["Gemfile.lock", "gems.locked", ".bundle"] }),
  ...entries("--version --info --list-sdks --list-runtimes", "dotnet", { unlessFile: ["global.json"] }),
  ...entries("--version", "mocha", { unlessFile: ["node_modules", ...mochaFiles] }),
  ...entries("--version -v", "gradle", {
    unlessFile: ["gradle.properties", "gradle", ".gradle", "settings.gradle", "settings.gradle.kts"],
  }),
  // Older ones load the linters that it names.
  ...entries("-version --version", "golangci-lint", {
    unlessFile: [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"],
  }),
  ...entries("--version", "luarocks", { unlessFile: [".luarocks", "lua_modules"] }),
  ...entries("--version", "valgrind", { unlessFile: [".valgrindrc"] }),
  // Plug-ins in the working folder are started to ask what they are.
  packer: { subcommands: { version: { unlessNamed: /^packer-/ } } },
  sqlc: { subcommands: { version: {} } },
  zig: { subcommands: { version: { unlessFile: ["build.zig.zon", ".zigversion"] } } },
  perl: versionOf("-v -V --version"),
  // It may name what the virtual machine loads.
  ...entries("-v -version --version", "mvn", { unlessFile: [".mvn"] }),
  ...entries("--version", "flake8", { unlessFile: [".flake8", "setup.cfg", "tox.ini"] }),
}))
