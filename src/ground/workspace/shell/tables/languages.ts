/** Languages and their package managers, where they report what is there: nothing is built, downloaded or run. */

import { lazily } from "#lib/lazily.ts"
import type { KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import { versionOf } from "./versions.ts"

const version = versionOf("-v --version")

/** They may name a compiler in the project, which then runs instead of the real one. */
const toolchainFiles = ["rust-toolchain", "rust-toolchain.toml"] as const

/** Its configuration may name a wrapper around the compiler. */
const cargoFiles: Partial<Shape> = { unlessFile: [...toolchainFiles, ".cargo"] }

const cargoCommon =
  "-q -v --quiet --verbose --color:word --locked --offline --frozen --all-features --no-default-features -F:text --features:text"

const pipList =
  "--format:word --not-required --user --local -l -o -u --outdated --uptodate -e --editable --exclude:word"
const pip: () => KnownProgram = lazily(() => ({
  alone: { flags: "-V --version" },
  subcommands: {
    list: {
      flags: pipList,
      asks: ({ flags }) =>
        ["-o", "-u", "--outdated", "--uptodate"].some((flag) => flags.has(flag)) ? "network" : "nothing",
    },
    index: { subcommands: { versions: { operands: "word", asks: "network" } } },
    show: { flags: "-f --files", operands: "word+" },
    // It asks the version control of packages that are installed from a folder what they are.
    freeze: {
      flags: "-l --local --user --all --exclude-editable --exclude:word",
      unlessFile: [".hg", ".svn", ".bzr"],
    },
    check: {},
    inspect: { flags: "-v --local --user" },
    cache: { subcommands: { dir: {}, info: {} } },
    help: { operands: "word?" },
  },
}))

/** What python would find in the folder before its own libraries, when a module is run by name. */
const modules = /\.(?:py|pyc|pyd|so)$|^(?:pip|json)$/

/** `python -m pip list`, unless the folder contains something that would be loaded in its place. */
const python: () => KnownProgram = lazily(() => ({
  alone: versionOf("-V -VV --version"),
  subcommands: {
    "-m": {
      subcommands: {
        pip: shadowable(pip()),
        "json.tool": shadowable({
          flags: "--sort-keys --no-ensure-ascii --indent:number --tab --compact --no-indent --json-lines",
          operands: "path?",
        }),
        platform: shadowable({}),
        site: shadowable({}),
      },
    },
  },
}))

/** No -C, -mod, -modfile, -overlay, -toolexec, -exec, -export, -compiled, -test and -u: they build, run or download. */
const goList = "-f:text -json?text -deps -e -find -m -versions -retracted -tags:word"

export const languages: () => Table = lazily(() => ({ ...pythonAndGo(), ...otherLanguages() }))

const pythonAndGo = (): Table => ({
  pip: pip(),
  pip3: pip(),
  python: python(),
  python3: python(),
  pyenv: { alone: version, subcommands: { version: {}, versions: { flags: "--bare" }, "version-name": {}, root: {} } },
  rbenv: { alone: version, subcommands: { version: {}, versions: { flags: "--bare" }, "version-name": {}, root: {} } },
  // Plug-ins of the project lie in there, and are loaded first.
  poetry: { ...versionOf("-V --version"), unlessFile: [".poetry"] },
  pipenv: versionOf("--version"),
  // It has no plug-ins, and its cache is written nowhere behind the wall.
  black: {
    flags:
      "-q -l:number -t:word --quiet --check --diff --color --no-color --line-length:number --target-version:word --version",
    operands: "path*",
    follows: () => true,
    unless: ({ flags, operands }) => {
      if (operands.length === 0) return flags.has("--version") ? undefined : "it could run what it is fed"
      return flags.has("--check") || flags.has("--diff") ? undefined : "it would write the files"
    },
  },
  uv: {
    alone: versionOf("-V --version"),
    subcommands: {
      pip: {
        subcommands: {
          // It asks the interpreter that the project names.
          list: {
            flags: "--format:word --outdated --editable --exclude-editable",
            asks: ({ flags }) => (flags.has("--outdated") ? "network" : "nothing"),
            ...uvFiles(),
          },
          show: { flags: "-f --files", operands: "word+", ...uvFiles() },
          freeze: { flags: "--exclude-editable", ...uvFiles() },
        },
      },
    },
  },
  conda: {
    alone: versionOf("-V --version"),
    subcommands: {
      list: { flags: "-n:word --name:word --json --export -e", operands: "word?" },
      info: { flags: "-a -e --all --envs --json" },
      env: { subcommands: { list: { flags: "--json" } } },
    },
  },
  go: {
    letters: "whole",
    // It may ask git about the folder.
    repository: true,
    subcommands: {
      version: { flags: "-m -v", operands: "path*" },
      env: {
        flags: "-json",
        operands: "word*",
        unless: ({ operands }) =>
          operands.every(({ text }) => /^[A-Z0-9_]+$/.test(text)) ? undefined : "it could write a setting",
      },
      // In a workspace it may write the sums of the workspace.
      list: {
        flags: goList,
        operands: "text*",
        unless: goPackages,
        unlessFile: ["go.work"],
        asks: ({ flags }) => (flags.has("-versions") ? "network" : "nothing"),
      },
      mod: {
        subcommands: {
          graph: {},
          why: { flags: "-m -vendor", operands: "text+" },
          verify: {},
          edit: {
            flags: "-json -print",
            operands: "path?",
            unless: ({ flags }) => (flags.size > 0 ? undefined : "it could write the module"),
          },
        },
      },
      doc: { flags: "-all -c -short -src -u", operands: "text*", unless: goPackages },
      help: { operands: "word*" },
      tool: {},
    },
  },
  gofmt: { letters: "whole", flags: "-d -l -e -s", operands: "path*" },
  goimports: { letters: "whole", flags: "-d -l -e", operands: "path+" },
})

const otherLanguages = (): Table => ({
  rustc: {
    responseFiles: true,
    flags: "-V -vV --version --verbose --print:word --explain:word --help",
    // A name behind an equals sign is a file that is written.
    unless: ({ flags, values }) => {
      if (flags.size === 0) return "it could run what it is fed"
      return values.some(({ value }) => value.text.includes("=")) ? "it could write a file" : undefined
    },
    unlessFile: toolchainFiles,
  },
  rustfmt: {
    flags: "--check --edition:word -V --version -q -v --help",
    operands: "path*",
    // It reads the modules that a file declares, wherever they lie.
    unlessHolds: /\bmod\b(?!\s+\w+\s*\{)/,
    // Its configuration could name nothing that runs, but without --check the files are written.
    unless: ({ flags, operands }) =>
      operands.length === 0
        ? flags.size > 0
          ? undefined
          : "it waits for input"
        : flags.has("--check")
          ? undefined
          : "it would write the files",
    unlessFile: toolchainFiles,
  },
  rustup: {
    alone: { ...versionOf("-V --version"), unlessFile: toolchainFiles },
    subcommands: {
      show: { flags: "-v --verbose", operands: "word?", unless: rustupShown, unlessFile: toolchainFiles },
      which: { operands: "word", unlessFile: toolchainFiles },
      toolchain: { subcommands: { list: { flags: "-v --verbose -q --quiet" } } },
      target: { subcommands: { list: { flags: "--installed --toolchain:word", unlessFile: toolchainFiles } } },
      component: { subcommands: { list: { flags: "--installed --toolchain:word", unlessFile: toolchainFiles } } },
    },
  },
  cargo: {
    alone: { ...versionOf("-V --version --list"), unlessFile: [...toolchainFiles, ".cargo"] },
    subcommands: {
      tree: {
        flags: `${cargoCommon} -d -e:word -i:word -p:word -f:text --depth:word --duplicates --edges:word --invert:word --package:word --workspace --prune:word --charset:word --format:text --no-dedupe --prefix:word --target:word`,
        ...cargoFiles,
      },
      metadata: {
        flags: `${cargoCommon} --format-version:number --no-deps --filter-platform:word`,
        ...cargoFiles,
      },
      pkgid: { flags: cargoCommon, operands: "word?", ...cargoFiles },
      "locate-project": { flags: "--workspace --message-format:word", unlessFile: [...toolchainFiles, ".cargo"] },
      "read-manifest": { unlessFile: [...toolchainFiles, ".cargo"] },
      version: { flags: "-v --verbose", unlessFile: [...toolchainFiles, ".cargo"] },
      // Pages of its own commands; for any other it would start that.
      help: { operands: "word?", unless: ownCargoCommand, ...cargoFiles },
      clippy: { ...versionOf("-V --version"), ...cargoFiles },
      fmt: { ...versionOf("--version"), ...cargoFiles },
    },
  },
  ruby: version,
  gem: {
    alone: version,
    subcommands: {
      list: { flags: "-l -a --local --all --no-versions --versions -d --details", operands: "text?" },
      env: { operands: "word?" },
      environment: { operands: "word?" },
      which: { flags: "-a --all", operands: "word+" },
      info: { flags: "-l --local", operands: "word" },
      contents: { flags: "--prefix --no-prefix", operands: "word+" },
      specification: { flags: "-l --local --yaml --ruby", operands: "word word?" },
      dependency: { flags: "-l --local", operands: "word" },
      help: { operands: "word?" },
    },
  },
  php: {
    // No -i, which shows the environment.
    flags: "-v --version -m --modules --ini -l --syntax-check --help",
    operands: "path?",
    unless: ({ flags, operands }) => {
      const checks = flags.has("-l") || flags.has("--syntax-check")
      if (operands.length > 0) return checks && flags.size === 1 ? undefined : "it would run a file"
      return flags.size > 0 && !checks ? undefined : "it could run what it is fed"
    },
  },
  java: { ...versionOf("-version --version"), responseFiles: true },
  javac: { ...versionOf("-version --version"), responseFiles: true },
  jar: {
    responseFiles: true,
    flags: "-tf:path -tvf:path",
    operands: ({ flags }) => (flags.size > 0 ? "text*" : "word path text*"),
    unless: ({ flags, operands }) =>
      flags.size > 0 || /^tv?f$/.test(operands[0]?.text ?? "") ? undefined : "it could change the archive",
  },
  javap: {
    letters: "whole",
    responseFiles: true,
    // It takes classes apart and loads none.
    flags: "-c -l -p -s -v -public -private -protected -package -verbose -constants -cp:path -classpath:path",
    operands: "path+",
    unless: ({ operands, values }) =>
      [...operands, ...values.map(({ value }) => value)].some(({ text }) => text.includes(":"))
        ? "it could be an address"
        : undefined,
  },
  jps: { flags: "-l -q -m -V", asks: "machine" },
  gcc: compiler(),
  "g++": compiler(),
  clang: compiler(),
  "clang++": compiler(),
  cc: compiler(),
  bash: syntaxOnly(),
  sh: syntaxOnly(),
  dash: syntaxOnly(),
})

/** Only its version: with a file it would write one. */
function compiler(): Shape {
  return {
    ...versionOf("-v --version -dumpversion -dumpmachine -dumpfullversion -print-search-dirs -print-libgcc-file-name"),
    responseFiles: true,
  }
}

/** `-n` parses a script and runs none of it. */
function syntaxOnly(): Shape {
  return {
    flags: "-n --version",
    operands: "path?",
    flagsFirst: true,
    unless: ({ flags, operands }) => {
      const isVersion = flags.size === 1 && flags.has("--version") && operands.length === 0
      const isCheck = flags.size === 1 && flags.has("-n") && operands.length === 1 && operands[0]?.kind === "exact"
      return isVersion || isCheck ? undefined : "it would run a script"
    },
  }
}

function uvFiles(): Partial<Shape> {
  return { unlessFile: [".venv", "uv.toml", "pyproject.toml", ".python-version", ".python-versions"] }
}

/** Each shape of a program, refused where the folder contains modules. */
function shadowable(program: KnownProgram): KnownProgram {
  if ("judge" in program) return program
  if (!("subcommands" in program)) return { ...program, unlessNamed: modules }
  const { alone, subcommands } = program
  return {
    ...program,
    ...(alone && { alone: { ...alone, unlessNamed: modules } }),
    subcommands: Object.fromEntries(Object.entries(subcommands).map(([name, inner]) => [name, shadowable(inner)])),
  }
}

/** Packages by name or below the folder; a version after an at sign would be downloaded. */
function goPackages({ operands }: Sorted): string | undefined {
  return operands.every(
    ({ kind, text }) => kind === "exact" && /^[\w./-]+$/.test(text) && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(text),
  )
    ? undefined
    : "it names something other than a package"
}

function ownCargoCommand({ operands }: Sorted): string | undefined {
  const own =
    /^(?:add|bench|build|check|clean|doc|fetch|init|install|metadata|new|package|publish|remove|run|search|test|tree|update)$/
  return operands.every(({ text }) => own.test(text)) ? undefined : "it could start another program"
}

function rustupShown({ operands }: Sorted): string | undefined {
  return operands.every(({ text }) => ["active-toolchain", "home", "profile"].includes(text))
    ? undefined
    : "what it would show is not on the list"
}
