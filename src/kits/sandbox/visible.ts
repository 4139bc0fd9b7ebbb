/**
 * What a command that nobody was asked about can see: the system, the workspace, its repository, and the toolchains and
 * settings that programs take from the home folder. A program may open files by itself, and a link in the workspace may
 * lead it anywhere; so everything else is out of sight.
 */

import { dirname } from "node:path"
import type { PolicyLine, ShownLine } from "#ground/sandbox/policy.ts"
import { isBelow, liesIn } from "#lib/lies-in.ts"
import type { Disk, SandboxPlace } from "./facts.ts"
import { ownRepository } from "./git-folders.ts"

export interface View {
  readonly hidden: readonly PolicyLine[]
  readonly shown: readonly ShownLine[]
}

/** Top folders that belong to the system, wherever its distribution puts things. */
const systemFolders: ReadonlySet<string> = new Set(
  "bin boot dev etc gnu init lib lib32 lib64 libx32 nix opt proc run sbin snap sys system usr var".split(" "),
)

const temporary = "/var/tmp"

export function viewOf(place: SandboxPlace, disk: Disk): View {
  // The profile of macOS is a list of paths, and has not been tried with this one.
  if (place.platform !== "linux") return { hidden: [], shown: [] }
  const tops = disk
    .list("/")
    .filter(({ name, isFolder }) => isFolder && !systemFolders.has(name))
    .map(({ name }) => `/${name}`)
  const hidden = [...tops, temporary].map((path) => ({ path, because: "commands that run unasked do not need it" }))
  const shown = [
    ...[place.root, ...place.added].flatMap((path) => lines(path, "the workspace", disk)),
    ...repositoryLines(place.root, disk),
    ...[...new Set([place.home, place.accountHome ?? place.home])].flatMap((home) => atHome(home, disk)),
    ...installed(place, disk).flatMap((path) => lines(path, "programs on the PATH, and what they need", disk)),
  ]
  return { hidden, shown: shown.filter(({ path }) => hidden.some((line) => isBelow(path, line.path))) }
}

/** Without what is visible anyway, because a folder around it is and nothing hides it there: each line is a mount. */
export const outermost = (shown: readonly ShownLine[], hidden: readonly PolicyLine[]): readonly ShownLine[] =>
  shown.filter(
    ({ path, from }) =>
      from !== undefined ||
      !shown.some(
        (other) =>
          other.from === undefined &&
          isBelow(path, other.path) &&
          !hidden.some((line) => isBelow(line.path, other.path) && liesIn(path, line.path)),
      ),
  )

/** A path under its own name, and where it leads: both names are used, and where all is hidden there are no links. */
function lines(path: string, because: string, disk: Disk): readonly ShownLine[] {
  if (disk.kindOf(path) === undefined) return []
  const real = disk.real(path)
  return real === path
    ? [{ path, because }]
    : [
        { path: real, because },
        { path, from: real, because },
      ]
}

/** From a subfolder git looks at the whole repository. */
function repositoryLines(root: string, disk: Disk): readonly ShownLine[] {
  const folders = ownRepository(root, disk).map(({ path }) => path)
  const trees = folders.filter((path) => path.endsWith("/.git")).map(dirname)
  return [...trees, ...folders].flatMap((path) => lines(path, "the repository of the working folder", disk))
}

function atHome(home: string, disk: Disk): readonly ShownLine[] {
  const below = (names: readonly string[]): readonly string[] => names.map((name) => `${home}/${name}`)
  return [
    ...below(toolchains).flatMap((path) => lines(path, "a toolchain", disk)),
    ...below(settings).flatMap((path) => lines(path, "settings of programs", disk)),
    ...namedByGit(home, disk).flatMap((path) => lines(path, "git's settings name it", disk)),
  ]
}

/** Where programs are, wherever that is, and what variables of their toolchains name. */
function installed({ home, programFolders = [], toolchainFolders = [] }: SandboxPlace, disk: Disk): readonly string[] {
  const programs = programFolders
    .filter((folder) => !isSystem(folder))
    .flatMap((folder) => [folder, ...linked(folder, disk)])
  // A variable may name the home folder, or one around it: that would show everything.
  return [...programs.map(installation), ...toolchainFolders].filter((path) => !liesIn(home, path) && path !== "/")
}

const isSystem = (path: string): boolean => !path.startsWith("/") || systemFolders.has(path.split("/")[1] ?? "")

const mostLinks = 200

/** Folders of programs that a folder of the PATH only has links to. */
function linked(folder: string, disk: Disk): readonly string[] {
  const names = disk.list(folder).filter(({ isFolder }) => !isFolder)
  const links = names
    .slice(0, mostLinks)
    .map(({ name }) => `${folder}/${name}`)
    .filter(disk.isLink)
  return [...new Set(links.map((path) => dirname(disk.real(path))))].filter((path) => !isSystem(path))
}

/** Programs take their libraries from beside their folder. */
const installation = (folder: string): string => (/\/(?:s?bin|shims)$/.test(folder) ? dirname(folder) : folder)

/** Files that git's own settings name: without them it would show other files as ignored, or other names. */
function namedByGit(home: string, disk: Disk): readonly string[] {
  const texts = [".gitconfig", ".config/git/config"].map((name) => disk.text(`${home}/${name}`) ?? "")
  return texts.flatMap((text) =>
    [...text.matchAll(/=\s*"?(~?\/[^"\n#;]+?)"?\s*$/gm)]
      .map(([, path = ""]) => (path.startsWith("~/") ? `${home}${path.slice(1)}` : path))
      .filter((path) => disk.kindOf(path) === "file"),
  )
}

const list = (...texts: readonly string[]): readonly string[] => texts.join(" ").split(" ")

const toolchains: readonly string[] = list(
  ".asdf .bun .cabal .cargo .conda .deno .dotnet .elan .fnm .foundry .gem .ghcup .goenv .gradle .gvm .hex .ivy2 .jabba",
  ".jbang .jenv .julia .juliaup .konan .krew .linuxbrew .m2 .mix .mypy_cache .nix-defexpr .nix-profile .nodenv .npm",
  ".npm-global .nuget .nvm .opam .phpbrew .pixi .pkgx .proto .pub-cache .pyenv .rbenv .rustup .rvm .rye .sdkman .stack",
  ".swiftly .swiftpm .tfenv .virtualenvs .volta .yarn anaconda3 go mambaforge miniconda3 miniforge3 n",
  ".local/bin .local/lib .local/pipx .local/state/nix .local/share/bun .local/share/fnm .local/share/gem",
  ".local/share/man .local/share/mise .local/share/nvm .local/share/pipx .local/share/pnpm .local/share/rtx",
  ".local/share/uv .local/share/virtualenv .local/share/virtualenvs .local/share/volta .local/share/zinit",
  ".cache/bazel .cache/bun .cache/ccache .cache/deno .cache/go-build .cache/gopls .cache/ms-playwright .cache/node",
  ".cache/pip .cache/pnpm .cache/pre-commit .cache/puppeteer .cache/pypoetry .cache/rattler .cache/typescript .cache/uv",
  ".cache/yarn .config/composer .composer .terraform.d",
)

const settings: readonly string[] = list(
  ".asdfrc .bowerrc .clang-format .cargo/config.toml .condarc .config/bat .config/fd .config/git .config/go",
  ".config/matplotlib .config/mise .config/mypy .config/nix .config/nixpkgs .config/pip .config/pnpm .config/ripgrep",
  ".config/ruff .config/uv .config/yamllint .config/yarn .curlrc .editorconfig .flake8 .gemrc .gitattributes .gitconfig",
  ".gitignore .gitignore_global .global_ignore .hgrc .ignore .inputrc .irbrc .mailmap .myclirc .node-version .npmrc .nvmrc",
  ".pip .prettierrc .pylintrc .python-version .ripgreprc .ruby-version .rustfmt.toml .terminfo .tool-versions .wgetrc",
  ".yarnrc .yarnrc.yml .bunfig.toml .mypy.ini .docker/cli-plugins",
)
