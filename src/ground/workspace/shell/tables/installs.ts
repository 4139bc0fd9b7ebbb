/** Where installed programs are, and what stands in for them: version managers and their proxies. */

/** Folders of the system's packages: what is there came with a package. */
export const packaged: readonly RegExp[] = [
  /^\/(?:usr\/)?(?:s?bin|games|share|lib(?:32|64|x32|exec)?)\//,
  /^\/(?:nix|gnu)\/store\//,
  /^\/System\//,
  /^\/Library\/(?:Apple|Developer)\//,
  /^\/Applications\/Xcode[^/]*\.app\//,
]

/** Folders that users install into by hand or with their own package manager: a binary there is what its name says. */
export const installed: readonly RegExp[] = [
  /^\/usr\/local\//,
  /^\/opt\//,
  /^\/home\/linuxbrew\/\.linuxbrew\//,
  /^\/Library\/Frameworks\/Python\.framework\//,
  /^\/Applications\/[^/]+\.app\/Contents\//,
]

/** The same below the home folder: each folder contains programs themselves, not what chooses among them. */
export const installedAtHome: readonly RegExp[] = [
  /^(?:\.nvm|\.config\/nvm|\.local\/share\/nvm)\/versions\/node\/[^/]+\/bin$/,
  /^(?:\.fnm|\.local\/share\/fnm|Library\/Application Support\/fnm)\/node-versions\/[^/]+\/installation\/bin$/,
  /^\.volta\/tools\/image\/[^/]+\/[^/]+\/bin$/,
  /^n\/bin$/,
  /^(?:\.asdf|\.local\/share\/(?:mise|rtx|asdf))\/installs\/[^/]+\/[^/]+(?:\/[^/]+)*\/bin$/,
  /^\.(?:pyenv|rbenv|nodenv|goenv|jenv)\/versions\/[^/]+(?:\/envs\/[^/]+)?\/bin$/,
  /^\.rustup\/toolchains\/[^/]+\/bin$/,
  /^\.sdkman\/candidates\/[^/]+\/[^/]+(?:\/[^/]+)*\/bin$/,
  /^(?:\.local|\.cargo|\.bun|\.deno|\.cabal|\.opam\/[^/]+|go|\.go)\/bin$/,
  /^bin$/,
  /^\.local\/share\/uv\/(?:python|tools)\/[^/]+\/bin$/,
  /^(?:\.?virtualenvs|\.?venvs?|\.local\/share\/virtualenvs|\.cache\/pypoetry\/virtualenvs)\/(?:[^/]+\/)?bin$/,
  /^\.local\/(?:share\/)?pipx\/venvs\/[^/]+\/bin$/,
  /^(?:\.)?(?:miniconda3?|anaconda3?|miniforge3|mambaforge|micromamba)(?:\/envs\/[^/]+)?\/bin$/,
  /^\.dotnet(?:\/tools)?$/,
  /^\.local\/share\/pnpm$/,
  /^sdk\/go[^/]*\/bin$/,
  /^google-cloud-sdk\/bin$/,
]

/** One file that is many programs, each under a link of its name. */
export const multicall: ReadonlySet<string> = new Set(["busybox", "coreutils", "toybox"])

/** Other names under which system packages keep a program. */
export const otherNames: { readonly [name: string]: readonly string[] } = {
  awk: ["gawk", "mawk", "nawk", "original-awk"],
  bat: ["batcat"],
  bzcat: ["bzip2"],
  "c++": ["g++", "clang"],
  cal: ["ncal"],
  cc: ["gcc", "clang"],
  "clang++": ["clang"],
  docker: ["podman"],
  fd: ["fdfind"],
  ld: ["ld.bfd", "ld.gold", "ld.lld", "mold"],
  lsmod: ["kmod"],
  lzcat: ["xz"],
  md5: ["md5sum"],
  nawk: ["gawk", "mawk", "original-awk"],
  nodejs: ["node"],
  pidof: ["killall5"],
  "pkg-config": ["pkgconf"],
  psql: ["pg_wrapper"],
  runlevel: ["systemctl"],
  sh: ["bash", "dash", "zsh", "ksh"],
  view: ["vim"],
  w: ["w.procps"],
  xzcat: ["xz"],
  zipinfo: ["unzip"],
  zstdcat: ["zstd"],
}

/** npm packages whose programs have another name than the package. */
export const nodePackages: { readonly [name: string]: string } = {
  babel: "@babel/cli",
  biome: "@biomejs/biome",
  npx: "npm",
  nodejs: "node",
  swc: "@swc/cli",
  tsc: "typescript",
}

/** Programs that are scripts on every system, where such a script may be outside a package, and what they start. */
export const scripts: { readonly [name: string]: { readonly at?: RegExp; readonly starts?: readonly string[] } } = {
  brew: { at: /\/(?:Homebrew\/)?bin\/brew$/ },
  gh: { starts: ["git"] },
  go: { starts: ["git"] },
  gradle: { at: /\/gradle(?:\/[\d.]+|-[\d.]+)?(?:\/libexec)?\/bin\/gradle$/, starts: ["java"] },
  kotlin: { at: /\/(?:kotlinc?|kotlin)(?:\/[\d.]+)?(?:\/libexec)?\/bin\/kotlin$/, starts: ["java"] },
  kotlinc: { at: /\/(?:kotlinc?|kotlin)(?:\/[\d.]+)?(?:\/libexec)?\/bin\/kotlinc$/, starts: ["java"] },
  mvn: { at: /\/(?:apache-)?maven(?:\/[\d.]+|-[\d.]+)?(?:\/libexec)?\/bin\/mvn$/, starts: ["java"] },
  nodenv: { at: /\/\.nodenv\/libexec\/nodenv$/ },
  pyenv: { at: /\/\.pyenv\/libexec\/pyenv$/ },
  rbenv: { at: /\/\.rbenv\/libexec\/rbenv$/ },
  yarn: { at: /^\/(?:opt\/yarn-v[\d.]+|usr\/share\/yarn)\/bin\/yarn(?:\.js)?$/, starts: ["node"] },
  // The one in Python; the other starts nothing.
  yq: { starts: ["jq"] },
}

/** A manager that stands in for programs, and starts the one that a file of the project names. */
export interface Manager {
  readonly name: string
  /** Programs replaced by a binary of the same name; the manager itself is beside it. */
  readonly proxies?: RegExp
  /** What the scripts that replace a program look like. */
  readonly script?: RegExp
  /**
   * The files that choose, in the working folder or above it; without one the user's own choice runs. Absent: unknown.
   */
  readonly files?: readonly string[]
}

/** A shim of rbenv and similar tools: it passes everything to the manager, at an explicit path. */
const shim = (name: string): RegExp =>
  new RegExp(`^#!/usr/bin/env bash\\nset -e\\n[^]*\\nexec "/[\\w./-]+/${name}" exec "\\$program" "\\$@"\\n$`)

/** The managers whose rules are known; every other stand-in is simply not recognised as the program. */
export const managers: readonly Manager[] = [
  {
    name: "rustup",
    proxies:
      /^(?:cargo|cargo-clippy|cargo-fmt|cargo-miri|clippy-driver|rls|rust-analyzer|rust-gdb|rust-lldb|rustc|rustdoc|rustfmt)$/,
    files: ["rust-toolchain", "rust-toolchain.toml"],
  },
  { name: "pyenv", script: shim("pyenv"), files: [".python-version", ".pyenv-vars"] },
  {
    name: "rbenv",
    script: shim("rbenv"),
    files: [".ruby-version", ".rbenv-version", ".rbenv-vars", ".rbenv-gemsets", ".ruby-gemset"],
  },
  {
    name: "nodenv",
    script: shim("nodenv"),
    files: [".node-version", ".nvmrc", ".nodenv-vars", "package.json"],
  },
  { name: "tenv", proxies: /^terraform$/ },
]
