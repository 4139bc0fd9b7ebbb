/** The description of Bash for the model: when and how to use it, and how to make commits and pull requests. */

export interface BashLimits {
  readonly defaultTimeoutMs: number
  readonly maxTimeoutMs: number
  readonly outputCharacters: number
  /** Every command starts in the project's folder. */
  readonly staysInProject?: boolean
  readonly background?: "off"
}

export interface BashSandbox {
  /** Whether a command may run outside, once the user has agreed. */
  readonly mayLeave: boolean
}

export function bashDescription(
  { defaultTimeoutMs, maxTimeoutMs, outputCharacters, background }: BashLimits,
  sandbox?: BashSandbox,
): string {
  return `Runs a command in bash and gives what it prints, output and errors together.
- It is for programs: builds, tests, git, package managers. For files use the other tools: Read instead of cat, head or tail; Edit instead of sed or awk; Write instead of echo or a here-document; Glob instead of find or ls; Grep instead of grep or rg.
- Only the working folder lasts from call to call; variables and functions do not. Prefer absolute paths to cd. Quote paths with spaces.
- Commands that do not depend on each other go into separate calls in one answer; dependent ones are chained with && in one call.
- There is no terminal and stdin is empty: pass flags that avoid questions and editors (-y, -m, --no-edit). Processes left running with & end with the command${background === "off" ? "." : ": for servers, watchers and long work set run_in_background, which has no time limit, and do something else meanwhile."}
- Time limit ${defaultTimeoutMs} ms unless timeout says otherwise (at most ${maxTimeoutMs}). Output over ${outputCharacters} characters is cut in the middle; all of it is in a file that is named.${sandbox ? sandboxWords(sandbox) : ""}

Git: commit only when the user asks.
1. In one answer, call git status, git diff (staged and not) and git log --oneline -10, to see what changed and how messages are written here.
2. Stage the files that belong to it by name; nothing with secrets in it (.env, keys). Write a message of one or two sentences that says why. Commit, then run git status.
3. If a hook fails or changes files, fix the cause and make a new commit; do not amend one that is not yours or is pushed.
Never change the git config, force-push, reset --hard, or skip hooks (--no-verify) unless the user asks for just that. Push only when asked.
Pull requests: look at status, diff, log and the whole difference from the base branch (git diff base...HEAD), push with -u if needed, then gh pr create with a title, a summary and how it was tested; give the user the address.`
}

function sandboxWords({ mayLeave }: BashSandbox): string {
  const leaving = mayLeave
    ? "When a command fails and the result says what the sandbox refused, dangerouslyDisableSandbox runs it outside, after asking the user; never set it before that."
    : "No command can run outside it."
  return `
- Commands run in a sandbox: only the working folder and added folders can be written, and temporary files belong in $TMPDIR (/tmp is private). The network is reached through a proxy that allows some hosts and asks the user about new ones. ${leaving}`
}
