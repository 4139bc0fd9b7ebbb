/** Names that mean something to the shell or to programs, as lists. */

/** Variables that only change appearance, language and the kind of build: free to set before a command. */
const harmlessNames: ReadonlySet<string> = new Set([
  "APP_ENV",
  "BABEL_ENV",
  "CARGO_TERM_COLOR",
  "CI",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "COLORTERM",
  "COLUMNS",
  "DEBUG",
  "FORCE_COLOR",
  "GOARCH",
  "GOOS",
  "LANG",
  "LANGUAGE",
  "LINES",
  "LOG_LEVEL",
  "NODE_ENV",
  "NO_COLOR",
  "PORT",
  "PYTHONDONTWRITEBYTECODE",
  "PYTHONUNBUFFERED",
  "RAILS_ENV",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "TERM",
  "TZ",
  "VERBOSE",
])

/** Values that cannot name a file; only the names of time zones contain a slash. */
const plainValue = /^[\w .,:@+*=-]*$/
const zone = /^[A-Za-z]+\/[A-Za-z_/+-]+\d*$/

/** What shows the output in pages; none of them is started for a command that only reads. */
const pagers: ReadonlySet<string> = new Set("BAT_PAGER GH_PAGER GIT_PAGER MANPAGER PAGER SYSTEMD_PAGER".split(" "))

/** Whether a variable may be set without changing what programs do. */
export function isHarmlessSetting(name: string, value: string | undefined): boolean {
  if (pagers.has(name)) return value === "cat" || value === ""
  if (/^GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS)$/.test(name)) return value === "0"
  if (value === undefined || !(plainValue.test(value) || (name === "TZ" && zone.test(value)))) return false
  return harmlessNames.has(name) || /^LC_[A-Z]+$/.test(name)
}

/** A name for a script's own values: no program reads it. */
export function isOwnName(name: string): boolean {
  return (
    (/^[a-z][a-z0-9_]*$/.test(name) && !/^(?:histchars|auto_resume|npm_.*|.*_proxy)$/.test(name)) || custom.has(name)
  )
}

/** Names in capitals that scripts use by convention and no program knows. */
const custom: ReadonlySet<string> = new Set([
  "A",
  "B",
  "BASE",
  "BRANCH",
  "COMMIT",
  "COUNT",
  "CURRENT",
  "DIR",
  "DIRS",
  "F",
  "FILE",
  "FILES",
  "HASH",
  "I",
  "LINE",
  "MATCHES",
  "N",
  "NAME",
  "NAMES",
  "OUT",
  "OUTPUT",
  "PATTERN",
  "RESULT",
  "RESULTS",
  "SHA",
  "TAG",
  "TOTAL",
  "X",
  "Y",
])

/** Variables that change how the shell itself reads; a script that sets one is not understood. */
export function changesTheShell(name: string): boolean {
  return (
    /^(?:BASH|POSIXLY|PROMPT|PS\d|READLINE|COMP)/.test(name) ||
    [
      "CDPATH",
      "ENV",
      "EXECIGNORE",
      "FIGNORE",
      "FUNCNEST",
      "GLOBIGNORE",
      "GLOBSORT",
      "HOME",
      "IFS",
      "LANG",
      "LC_ALL",
      "LC_COLLATE",
      "LC_CTYPE",
      "OLDPWD",
      "OPTARG",
      "OPTIND",
      "PWD",
      "SHELLOPTS",
      "TIMEFORMAT",
      "TMOUT",
      "histchars",
    ].includes(name)
  )
}

export const isPrintable = (name: string): boolean => printableVariables.has(name) || harmlessNames.has(name)

/** Variables whose value is unknown beforehand, and which are harmless to print. */
const printableVariables: ReadonlySet<string> = new Set([
  "!",
  "#",
  "$",
  "?",
  "BASH_VERSION",
  "CARGO_HOME",
  "CI",
  "COLUMNS",
  "CONDA_DEFAULT_ENV",
  "CONDA_PREFIX",
  "DISPLAY",
  "EDITOR",
  "EUID",
  "GOPATH",
  "GOROOT",
  "HOSTNAME",
  "HOSTTYPE",
  "JAVA_HOME",
  "LANG",
  "LINENO",
  "LOGNAME",
  "NODE_ENV",
  "NODE_PATH",
  "NVM_DIR",
  "OLDPWD",
  "OSTYPE",
  "PAGER",
  "PATH",
  "PPID",
  "PYTHONPATH",
  "RANDOM",
  "RUSTUP_HOME",
  "SECONDS",
  "SHELL",
  "SHLVL",
  "TERM",
  "TMPDIR",
  "TZ",
  "UID",
  "USER",
  "VIRTUAL_ENV",
  "VISUAL",
  "XDG_CONFIG_HOME",
])

/** Builtins that run their words again, or change what later words mean. */
export const evaluators: ReadonlySet<string> = new Set([
  ".",
  "alias",
  "bind",
  "break",
  "caller",
  "compgen",
  "complete",
  "compopt",
  "continue",
  "coproc",
  "declare",
  "enable",
  "eval",
  "exec",
  "fc",
  "getopts",
  "hash",
  "history",
  "let",
  "local",
  "mapfile",
  "read",
  "readarray",
  "readonly",
  "return",
  "select",
  "shopt",
  "source",
  "trap",
  "typeset",
  "unalias",
  "unset",
])
