/**
 * The environment for commands that run without asking because they only read: nothing in it, or in a repository,
 * starts a program.
 */

import { lazily } from "#lib/lazily.ts"

/** Forced git configuration, whatever the repository says. */
const gitSettings: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.sshCommand", "/usr/bin/false"],
  ["core.askPass", "/usr/bin/false"],
  ["core.alternateRefsCommand", "/usr/bin/false"],
  ["gpg.program", "/usr/bin/false"],
  ["gpg.openpgp.program", "/usr/bin/false"],
  ["gpg.x509.program", "/usr/bin/false"],
  ["gpg.ssh.program", "/usr/bin/false"],
  // An empty name takes back every helper named before.
  ["credential.helper", ""],
  ["log.diffMerges", "separate"],
  ["log.showSignature", "false"],
  ["maintenance.auto", "false"],
  ["gc.auto", "0"],
  ["safe.bareRepository", "explicit"],
  ["status.submoduleSummary", "false"],
]

/** The forced keys, in lower case: what a repository says about them does not matter. */
export const switchedOff: () => ReadonlySet<string> = lazily(
  () => new Set(gitSettings.map(([key]) => key.toLowerCase())),
)

/** Variables set for every command that runs because it only reads. */
const forced: Readonly<Record<string, string>> = {
  BAT_PAGER: "",
  CARGO_NET_OFFLINE: "true",
  // Terraform would ask a server whether there is a newer version.
  CHECKPOINT_DISABLE: "1",
  DEBUGINFOD_URLS: "",
  GH_NO_UPDATE_NOTIFIER: "1",
  GH_PAGER: "cat",
  GH_PROMPT_DISABLED: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "/usr/bin/false",
  GIT_EDITOR: "/usr/bin/false",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "/usr/bin/false",
  GIT_TERMINAL_PROMPT: "0",
  // It would ask the version control of every folder with a program, and that one the folder.
  GOFLAGS: "-buildvcs=false",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  MANPAGER: "cat",
  // Without a network, waiting for one helps no one.
  NPM_CONFIG_FETCH_RETRIES: "0",
  NPM_CONFIG_LOGS_MAX: "0",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
  NPM_CONFIG_YES: "false",
  PAGER: "cat",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONSAFEPATH: "1",
  SYSTEMD_PAGER: "cat",
  UV_OFFLINE: "1",
}

/** Variables that make a program on the read-only list load or start something else. */
const dropped =
  /^(?:GIT_.*|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|UNZIP|UNZIPOPT|ZIPINFO(?:OPT)?|LESS|LESSKEY.*|LESSOPEN|LESSCLOSE|MANOPT|MANROFFOPT|BAT_.*|BC_ENV_ARGS|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHON.*|RUBY(?:OPT|LIB)|PERL(?:5OPT|5LIB|LIB)|JAVA_OPTS|GRADLE_OPTS|MAVEN_.*|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|BUN_OPTIONS|LUA_INIT.*|SHELLCHECK_OPTS|VALGRIND_OPTS|GUNICORN_CMD_ARGS|GCONV_PATH|GOFLAGS|RUSTC.*|RUSTDOC.*|CARGO_(?:BUILD|TARGET)_.*|RUSTUP_TOOLCHAIN|POSIXLY_CORRECT)$/

/** Of git's own variables, those that only say what git would use, and that it shows when it is asked for them. */
const ownGitVariables =
  /^GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|AUTHOR_NAME|AUTHOR_EMAIL|COMMITTER_NAME|COMMITTER_EMAIL|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/

/** What `git var` and `git config` would show of ours instead of the user's. */
const shownByGit: readonly string[] = ["GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "PAGER"]

/** With an empty PATH bash would look in the working folder. */
const nowhere = "/dev/null"

export interface ReadOnlyOptions {
  /** `own` only where git is asked for its settings and nothing else: it starts nothing for that, and ours are not its. */
  readonly gitSettings?: "forced" | "own"
}

export function readOnlyEnvironment(
  env: Readonly<Record<string, string>>,
  isProjectFolder: (path: string) => boolean = () => false,
  options: ReadOnlyOptions = {},
): Record<string, string> {
  const isOwn = options.gitSettings === "own"
  const kept = Object.entries(env).filter(([name]) => !dropped.test(name) || (isOwn && ownGitVariables.test(name)))
  const path = env.PATH === undefined ? {} : { PATH: searchPath(env.PATH, isProjectFolder) }
  if (isOwn) {
    const others = Object.entries(forced).filter(([name]) => !shownByGit.includes(name))
    return { ...Object.fromEntries(kept), ...path, ...Object.fromEntries(others) }
  }
  const settings = gitSettings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return {
    ...Object.fromEntries(kept),
    ...path,
    ...forced,
    GIT_CONFIG_COUNT: String(gitSettings.length),
    ...Object.fromEntries(settings),
  }
}

/** The PATH of such a command. */
export const searchPath = (path: string, isProjectFolder: (path: string) => boolean): string =>
  path
    .split(":")
    .filter((folder) => isSearched(folder, isProjectFolder))
    .join(":") || nowhere

/**
 * Whether programs are searched for in a folder of the PATH. A project must not supply its own `ls`: package managers
 * put its folders on the PATH of whatever they start.
 */
export const isSearched = (folder: string, isProjectFolder: (path: string) => boolean): boolean =>
  folder.startsWith("/") && !/\/node_modules\/\.bin\/?$/.test(folder) && !isProjectFolder(folder)
