/**
 * Files that reach further than the task: they contain secrets, or another program later takes code or commands from
 * them.
 */

import { lazily } from "#lib/lazily.ts"

/** Where such files are, and why a change to them is asked about. */
export interface ProtectedRow {
  /**
   * Names below any folder, separated by slashes; `*` matches any part of one name. With a trailing slash it is a
   * folder with everything in it. Lower case.
   */
  readonly paths: readonly string[]
  /** The reason in the question, after a colon. */
  readonly why: string
  /** Programs get it as input in everyday work, and naming it to one does not change it. */
  readonly isInput?: true
  /** A shell or an agent starts with it, and no everyday work makes one. */
  readonly isStart?: true
}

const rows = (why: string, ...paths: readonly string[]): ProtectedRow => ({ paths, why })
const inputs = (why: string, ...paths: readonly string[]): ProtectedRow => ({ paths, why, isInput: true })
const starts = (why: string, ...paths: readonly string[]): ProtectedRow => ({ paths, why, isStart: true })

/** Whether a shell or an agent that is started in a folder takes programs from a file or folder of this name. */
export const isStartFile = (name: string): boolean => startNames().has(name.toLowerCase())

const startNames = lazily(
  (): ReadonlySet<string> =>
    new Set(
      protectedTable()
        .filter(({ isStart }) => isStart)
        .flatMap(({ paths }) => paths.map((path) => path.replace(/\/$/, "")))
        .filter((path) => !/[*/]/.test(path)),
    ),
)

/** The first row that matches a path gives the reason. */
export const protectedTable: () => readonly ProtectedRow[] = lazily(() => [
  ...ofPeople(),
  ...ofOtherAgents(),
  ...ofBuilds(),
  ...ofIntegration(),
])

const ofPeople = (): readonly ProtectedRow[] => [
  // Settings of the agent, credentials, and what starts with a shell or an editor.
  rows("Git runs programs that are configured in this folder", ".git/"),
  rows("it holds settings, hooks and commands of the agent", ".codewright/", ".claude/"),
  rows("it holds skills of the agent", ".agents/"),
  starts("it starts programs", ".mcp.json", ".claude.json"),
  rows(
    "the editor runs tasks and programs that are configured there",
    ".vscode/",
    ".idea/",
    ".fleet/",
    ".helix/",
    ".nova/",
    ".run/",
    ".vs/",
    ".zed/",
    ".theia/",
    ".lapce/",
    ".vim/",
    ".externaltoolbuilders/",
    ".kateproject*",
    "*.code-workspace",
    "*.sublime-project",
  ),
  rows("it holds credentials", ".ssh/", ".aws/", ".azure/", ".gnupg/", ".kube/"),
  starts(
    "a shell or a desktop runs it at its start",
    ".bash_aliases",
    ".bash_completion",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".inputrc",
    ".kshrc",
    ".login",
    ".pam_environment",
    ".profile",
    ".tcshrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "config.fish",
    "*profile.ps1",
  ),
  starts("Git runs programs that it names", ".gitconfig", ".config/git/"),
  inputs("direnv runs it when a shell enters the folder", ".envrc", ".direnvrc", ".config/direnv/"),
  inputs("it contains secrets", ".env*"),

  // Version control.
  inputs(
    "Git runs hooks from this folder",
    ".githooks/",
    ".git-hooks/",
    ".husky/",
    ".lefthook/",
    ".lefthook-local/",
    ".overcommit/",
  ),
  inputs(
    "its commands run when you commit or push",
    ".huskyrc*",
    "husky.config.*",
    ".lefthook.*",
    "lefthook.*",
    ".lefthook-local.*",
    "lefthook-local.*",
    ".lintstagedrc*",
    "lint-staged.config.*",
    ".overcommit.yml",
    ".pre-commit-config.y*ml",
    ".pre-commit-hooks.y*ml",
    ".simple-git-hooks.*",
    "simple-git-hooks.*",
  ),
  inputs("it tells Git where to fetch submodules from and what to run for them", ".gitmodules"),
  inputs("it tells Git which programs to run on files", ".gitattributes"),
  inputs("version control runs programs that are configured there", ".hg/", ".hgrc", ".jj/", ".sl/", ".svn/"),
]

const ofOtherAgents = (): readonly ProtectedRow[] => [
  // Rules and prompts for a model are text, and not here; servers, hooks, commands and tools are programs.
  starts(
    "another coding agent takes settings and programs from it",
    ".agent/",
    ".aider.conf.yml",
    ".amazonq/",
    ".amp/",
    ".antigravity/",
    ".augment/",
    ".cline/",
    ".clinerules/hooks/",
    ".codebuddy/",
    "codebuff.json",
    ".codex/",
    ".cody/",
    "conductor.json",
    ".continue/",
    ".copilot/",
    ".crush/",
    ".crush.json",
    "crush.json",
    ".cursor/",
    ".devin/",
    ".eca/",
    ".factory/",
    "fastagent.config.yaml",
    ".gemini/",
    ".github/hooks/",
    ".github/mcp.json",
    ".goose/",
    ".grok/",
    ".iflow/",
    ".junie/",
    ".kilo/",
    ".kilocode/",
    "kilo.json",
    "kilo.jsonc",
    ".kimi/",
    ".kiro/",
    ".mastracode/",
    ".opencode/",
    "opencode.json",
    "opencode.jsonc",
    ".openhands/",
    ".pi/",
    ".qoder/",
    ".qwen/",
    ".roo/",
    ".rovodev/",
    ".tabnine/",
    ".trae/",
    ".vibe/",
    ".warp/",
    ".windsurf/",
    ".zencoder/",
  ),
]

const ofBuilds = (): readonly ProtectedRow[] => [
  // Packages and builds.
  inputs("it decides where packages come from and what npm runs", ".npmrc"),
  inputs("Yarn runs code from it", ".yarn/", ".yarnrc*"),
  inputs("Node.js loads it before every program", ".pnp.*"),
  inputs("pnpm runs it at every install", ".pnpmfile.*", "pnpmfile.*"),
  inputs("Bun loads code that it names before every program", "bunfig.toml", ".bunfig.toml"),
  inputs("Cargo runs compilers and programs that it names", ".cargo/config*"),
  inputs("it decides which compiler runs", "rust-toolchain", "rust-toolchain.toml"),
  inputs("the editor runs commands that it names", "rust-analyzer.toml", ".rust-analyzer.toml"),
  inputs("Maven loads extensions and options from it", ".mvn/", ".mavenrc"),
  inputs("Gradle runs it or downloads what it names", ".gradle/", "gradle/wrapper/", "init.gradle*"),
  inputs("Java loads code that its options name", ".jvmopts", ".sbtopts"),
  inputs("Bazel runs with the options and programs that it names", ".bazelrc", ".bazelversion", "tools/bazel"),
  inputs("it decides where packages come from", "nuget.config", "pip.conf", "pip.ini", ".condarc", ".gemrc"),
  inputs("it holds programs that .NET runs", ".config/dotnet-tools.json"),
  inputs("Bundler takes settings from it that decide what is run", ".bundle/"),
  inputs(
    "Python runs it at every start",
    "sitecustomize.py",
    "usercustomize.py",
    ".pythonrc",
    ".pythonrc.py",
    ".pydistutils.cfg",
    "dist-packages/*.pth",
    "site-packages/*.pth",
  ),
  inputs("R runs it at every start", ".rprofile", ".renviron"),
  inputs("Terraform starts programs that it names", ".terraformrc", "terraform.rc"),

  // What sets up machines and tools for a folder.
  inputs(
    "it decides which programs run in this folder",
    ".asdfrc",
    ".tool-versions",
    ".mise/",
    ".mise.toml",
    ".mise.*.toml",
    "mise.toml",
    "mise.*.toml",
    ".config/mise/",
    ".config/mise.toml",
  ),
  inputs(
    "its commands run when the workspace is opened",
    ".codesandbox/",
    ".devcontainer/",
    ".devcontainer*",
    "devcontainer.json",
    "devbox.json",
    ".gitpod.*",
    ".idx/",
    ".replit",
    ".stackblitzrc",
  ),
  inputs(
    "a program takes options or code from it at its start",
    ".curlrc",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".emacs",
    ".emacs.d/",
    ".exrc",
    ".gdbinit",
    ".ghci",
    ".gvimrc",
    ".iex.exs",
    ".irbrc",
    ".latexmkrc",
    ".lazy.lua",
    ".lessfilter",
    ".lldbinit",
    ".local.vimrc",
    ".lvimrc",
    ".mailcap",
    ".nvim.lua",
    ".nvimrc",
    ".ocamlinit",
    ".pdbrc",
    ".proverc",
    ".pryrc",
    ".psqlrc",
    ".ripgreprc",
    ".screenrc",
    ".sqliterc",
    ".tmux.conf",
    ".vimrc",
    ".vimrc.local",
    ".vimspector.json",
    ".wgetrc",
    "latexmkrc",
  ),
]

const ofIntegration = (): readonly ProtectedRow[] => [
  // Continuous integration: it runs with its own permissions and secrets.
  inputs(
    "CI runs it, with the secrets of the project",
    ".appveyor.yml",
    "appveyor.yml",
    ".azure-pipelines/",
    ".azure-pipelines*.y*ml",
    "azure-pipelines*.y*ml",
    "bitbucket-pipelines.y*ml",
    "bitrise.yml",
    ".buildkite/",
    "buildkite.y*ml",
    ".builds/",
    ".build.yml",
    "buildspec.y*ml",
    ".circleci/",
    "circle.yml",
    ".cirrus.star",
    ".cirrus.y*ml",
    "cloudbuild.json",
    "cloudbuild.y*ml",
    "codemagic.yaml",
    ".drone.*",
    ".forgejo/actions/",
    ".forgejo/workflows/",
    ".gitea/actions/",
    ".gitea/workflows/",
    ".github/actions/",
    ".github/workflows/",
    ".gitlab-ci*",
    ".gitlab-ci/",
    ".gitlab/ci/",
    "jenkinsfile",
    "jenkinsfile.*",
    "*.jenkinsfile",
    ".semaphore/",
    ".screwdriver/",
    "screwdriver.yaml",
    ".teamcity/",
    ".tekton/",
    ".travis.y*ml",
    "wercker.yml",
    ".woodpecker/",
    ".woodpecker.y*ml",
    ".zuul.d/",
    ".zuul.y*ml",
    "zuul.d/",
    "zuul.y*ml",
  ),
]

/** Below the user's home folder. */
export const protectedAtHome: readonly string[] = [
  ".config/autostart",
  ".config/environment.d",
  ".config/fish",
  ".config/gcloud",
  ".config/gh",
  ".config/nvim",
  ".config/systemd",
  ".docker",
  ".git-credentials",
  ".m2/settings.xml",
  ".netrc",
  ".oci",
  ".pypirc",
  ".terraform.d",
  "library/launchagents",
]

/** What the system runs at start-up, on a schedule, or with every shell and program. */
export const protectedInSystem: readonly string[] = [
  "/etc/bash.bashrc",
  "/etc/cron.d",
  "/etc/cron.daily",
  "/etc/cron.hourly",
  "/etc/cron.monthly",
  "/etc/cron.weekly",
  "/etc/crontab",
  "/etc/environment",
  "/etc/gitconfig",
  "/etc/ld.so.conf.d",
  "/etc/ld.so.preload",
  "/etc/profile",
  "/etc/profile.d",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/systemd",
  "/etc/zsh",
]
