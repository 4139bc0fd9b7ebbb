/** A worktree that hooks make and remove instead of git, also where there is no repository. */

import { resolve } from "node:path"
import { findRepository } from "#ground/workspace/git/git.ts"
import type { Dispatcher } from "#kits/hooks/dispatch.ts"
import type { SpawnAsk } from "#kits/subagents/child.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { MemberPlace } from "#session/opening/member-port.ts"
import type { Ground } from "./ground.ts"

export interface HookWorktreeParts extends Pick<Ground, "isFolder"> {
  readonly hooks: Pick<Dispatcher, "has" | "fire">
  readonly cwd: string
}

export async function placeByHook(
  { hooks, isFolder, cwd }: HookWorktreeParts,
  { agentId, member, signal }: Pick<SpawnAsk, "agentId" | "member" | "signal">,
): Promise<Result<MemberPlace, string>> {
  const name = member ? `${member.team}-${member.name}-${agentId}`.replaceAll(".", "-") : agentId
  const made = await hooks.fire({ event: "WorktreeCreate", fields: { name } }, signal)
  if (made.verdict === "deny" || made.failure !== undefined)
    return failed(noneWords(made.reason ?? made.failure ?? "It gave no reason."))
  const path = made.worktree === undefined ? undefined : resolve(cwd, made.worktree)
  if (path === undefined) return failed(noneWords("It must print the path of the folder."))
  if (!isFolder(path)) return failed(noneWords(`${path} is not a folder.`))
  const worktree = { path, branch: findRepository(path)?.branch ?? "" }
  return ok({
    worktree,
    async finish() {
      // What nobody says how to remove is kept.
      if (!hooks.has("WorktreeRemove")) return { worktree, problems: [] }
      const never = new AbortController().signal
      const removed = await hooks.fire({ event: "WorktreeRemove", fields: { worktree_path: path } }, never)
      if (!isFolder(path)) return { worktree: undefined, problems: [] }
      const why = removed.reason ?? removed.failure
      return { worktree, problems: why === undefined ? [] : [`The worktree ${path} was not removed: ${why}`] }
    },
  })
}

const noneWords = (why: string): string => `A WorktreeCreate hook made no worktree: ${why}`
