/** `codewright worktree`: the worktrees of this repository that sessions and agents have left, with what is in them. */

import { nearNames } from "#lib/near.ts"
import { stripControls } from "#lib/printable.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import { trustingBare } from "#faces/cli/first-run.ts"
import type { Io } from "#faces/cli/io.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { mergeAndRemove } from "./leave-worktree.ts"
import { type NamedWorktree, openOwnWorktrees, type OwnWorktrees } from "./own-worktrees.ts"
import { isUntouched, workWords } from "./worktree-words.ts"

type WorktreeFlag = "json" | "discard-changes" | "trust" | "help"

const table: readonly Flag<WorktreeFlag>[] = [
  { name: "json", kind: "switch", about: "list: print JSON." },
  { name: "discard-changes", kind: "switch", about: "remove: also if it has changes that are nowhere else." },
  { name: "trust", kind: "switch", about: "Trust this folder for this run." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright worktree <verb> [name] [options]"],
  about: "Worktrees of sessions that were started with --worktree, and of agents.",
  verbs: [
    ["list", "List them, with what was changed in each."],
    ["merge <name>", "Merge its branch into the one that is checked out here, and remove it."],
    ["remove <name>", "Remove it with its branch."],
  ],
  table,
  examples: ['codewright --worktree fix-login "fix the login"', "codewright worktree merge fix-login"],
}

export async function worktreeCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [verb, name, ...more] = args.rest
  const isList = verb === "list" && name === undefined
  if (!isList && !((verb === "merge" || verb === "remove") && name !== undefined && more.length === 0))
    return io.fail("worktree takes list, merge <name> or remove <name>. Run codewright worktree --help for details.")
  const trusting = {
    ...args,
    value: () => undefined,
    list: () => [],
    has: (flag: string) => flag === "trust" && args.has("trust"),
  }
  const read = await readSetting(trusting)
  const setting = read.ok ? await trustingBare(trusting, read.value) : read
  if (!setting.ok) return io.fail(setting.failure.message)
  const { cwd, state, trusted, loaded } = setting.value
  const own = openOwnWorktrees({ cwd, state, env: loaded.env })
  if (!own) return io.fail("This folder is in no git repository, so there are no worktrees. Change to a repository.")
  await using opened = own
  if (!trusted && opened.all().length > 0)
    return io.fail(
      "Git is run only in folders that you trust. Start codewright here once, or add --trust to this command.",
    )
  if (isList) return await list(opened, args.has("json"), io)
  const worktree = opened.named(name ?? "")
  if (!worktree) return io.fail(unknownWords(name ?? "", opened))
  if (verb === "merge") return await mergeAndRemove(opened, worktree, io)
  return await remove(opened, worktree, { isForced: args.has("discard-changes") }, io)
}

const never = new AbortController().signal

async function list(own: OwnWorktrees, asJson: boolean, io: Io): Promise<number> {
  const looks = await Promise.all(
    own.all().map(async (worktree) => ({ ...worktree, work: await own.works.inspect(worktree, never) })),
  )
  if (asJson)
    io.write(
      `${JSON.stringify(
        {
          worktrees: looks.map(({ work, ...worktree }) => ({
            ...worktree,
            ...(work.ok ? work.value : { problem: work.failure }),
          })),
        },
        null,
        2,
      )}\n`,
    )
  else if (looks.length === 0) io.write("No worktrees.\n")
  else
    for (const { name, work } of looks)
      io.write(`${stripControls(`${name}  ${work.ok ? workWords(work.value) : work.failure}`)}\n`)
  return 0
}

async function remove(
  own: OwnWorktrees,
  worktree: NamedWorktree,
  { isForced }: { readonly isForced: boolean },
  io: Io,
): Promise<number> {
  const { name } = worktree
  const work = await own.works.inspect(worktree, never)
  if (!isForced && !(work.ok && isUntouched(work.value)))
    return io.fail(
      stripControls(
        `Not removed: ${name} has work that is nowhere else (${work.ok ? workWords(work.value) : work.failure}). Merge it, or remove it with --discard-changes.`,
      ),
    )
  const gone = await own.works.discard(worktree, never)
  if (!gone.ok) return io.fail(`Not removed: ${stripControls(gone.failure)}`)
  io.write(`Removed ${name}.\n`)
  return 0
}

function unknownWords(name: string, own: OwnWorktrees): string {
  const names = own.all().map((one) => one.name)
  const [near] = nearNames(name, names, 1)
  return `No worktree named ${name}. ${near === undefined ? "codewright worktree list shows all." : `Did you mean ${near}?`}`
}
