/** The end of a session in a worktree: what was done in it, and whether to merge, keep or remove it. */

import type { PanelRow } from "#faces/tui/panels/panel.ts"
import type { WorktreeWork } from "#ground/workspace/git/worktree-work.ts"
import { systemClock } from "#lib/clock.ts"
import { forConsent, stripControls } from "#lib/printable.ts"
import { tilde } from "#lib/tilde.ts"
import type { Io } from "#faces/cli/io.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { NamedWorktree, OwnWorktrees } from "./own-worktrees.ts"

export async function leaveWorktree(setting: StartupContext, face: "screen" | "words", io: Io): Promise<void> {
  const { openOwnWorktrees } = await import("./own-worktrees.ts")
  const { cwd, state, loaded, home } = setting
  const own = setting.trusted ? openOwnWorktrees({ cwd, state, env: loaded.env }) : undefined
  if (!own) return
  await using opened = own
  const worktree = opened.around(cwd)
  if (!worktree) return
  // Removing it would take the folder from under git.
  process.chdir(opened.main)
  const signal = new AbortController().signal
  const work = await opened.works.inspect(worktree, signal)
  if (!work.ok) return io.warn(`The worktree ${tilde(worktree.path, home)} is kept: ${work.failure}`)
  const { isUntouched } = await import("./worktree-words.ts")
  if (isUntouched(work.value)) return await removeUntouched(opened, worktree, io)
  const choice = face === "screen" ? await asked(worktree, work.value, setting) : "keep"
  if (choice === "merge") return void (await mergeAndRemove(opened, worktree, io))
  if (choice === "remove") {
    const gone = await opened.works.discard(worktree, signal)
    return io.warn(gone.ok ? `Removed the worktree ${worktree.name}.` : `Not removed: ${stripControls(gone.failure)}`)
  }
  return io.warn(await keptWords(worktree, work.value, home))
}

async function removeUntouched({ git }: OwnWorktrees, worktree: NamedWorktree, io: Io): Promise<void> {
  const finished = await git.finish(worktree)
  if (!finished.ok) io.warn(stripControls(finished.failure))
  else if (finished.value === "removed") io.warn(`Removed the worktree ${worktree.name}: nothing was changed in it.`)
}

/** One with everything merged has nothing that is not elsewhere. */
export async function mergeAndRemove(own: OwnWorktrees, worktree: NamedWorktree, io: Io): Promise<number> {
  const { mergedWords, notMergedWords } = await import("./worktree-words.ts")
  const { name } = worktree
  const merged = await own.works.merge(worktree, messagesOf(name), new AbortController().signal)
  if (!merged.ok) {
    io.warn(stripControls(`${notMergedWords(name, merged.failure)}\nThe worktree is kept: ${worktree.path}`))
    return 1
  }
  io.warn(stripControls(mergedWords(name, merged.value)))
  const finished = await own.git.finish(worktree)
  if (!finished.ok) io.warn(stripControls(finished.failure))
  return 0
}

/** A name is made of the words that the work began with. */
function messagesOf(name: string): { readonly rest: string; readonly merge: string } {
  const words = name.replaceAll("-", " ")
  return { rest: words.charAt(0).toUpperCase() + words.slice(1), merge: `Merge the worktree ${name}` }
}

async function keptWords({ name, branch, path }: NamedWorktree, work: WorktreeWork, home: string): Promise<string> {
  const { workWords } = await import("./worktree-words.ts")
  return [
    `The worktree ${name} is kept: ${workWords(work)} (${tilde(path, home)}, branch ${branch}).`,
    `Merge it: codewright worktree merge ${name}`,
    `Remove it: codewright worktree remove ${name}`,
  ].join("\n")
}

type Choice = "merge" | "keep" | "remove"

const mostShown = 12

/** Whoever leaves without an answer keeps it. */
async function asked(worktree: NamedWorktree, work: WorktreeWork, setting: StartupContext): Promise<Choice> {
  const [{ openAsking }, { ownTerminal, themeOf }, { workWords }] = await Promise.all([
    import("#faces/tui/panels/ask.ts"),
    import("#faces/cli/terminal/own-terminal.ts"),
    import("./worktree-words.ts"),
  ])
  const asking = openAsking({ terminal: ownTerminal(setting), clock: systemClock, theme: themeOf(setting) })
  const rows: readonly PanelRow[] = [
    { key: "keep", text: "Keep it" },
    { key: "merge", text: work.isUncommitted ? "Commit the rest, merge, and remove it" : "Merge it, and remove it" },
    { key: "remove", text: "Remove it with all its changes" },
  ]
  const choice = await asking.ask<Choice>({
    kind: "list",
    title: `The worktree ${worktree.name}: ${workWords(work)}`,
    empty: "",
    search: "none",
    enterLabel: "confirm",
    leaves: "keep it",
    load: async () => rows,
    preview: async () => () => [
      ...work.files.slice(0, mostShown).map((file) => `· ${forConsent(file)}`),
      ...(work.files.length > mostShown ? [`… and ${work.files.length - mostShown} more`] : []),
    ],
    choose: async ({ key }) => ({ kind: "closes", result: key as Choice }),
  })
  asking.close()
  return choice ?? "keep"
}
