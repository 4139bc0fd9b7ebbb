/** The lead's tool that merges what a member did on its own branch; conflicts become a task for that member. */

import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Board, Member, Roster } from "#agent/words/team.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import type { Merge, MergeFailure } from "#ground/workspace/git/merge.ts"
import { never } from "#lib/never.ts"
import { failed } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { MemberClones } from "#session/opening/member-port.ts"

const description = `Merges the branch of a teammate into the branch that is checked out here, as one merge commit.
Use it when the teammate has committed its work and says it is finished. Nothing may be uncommitted in the teammate's worktree, nor here in files that the merge changes.
If there are conflicts nothing is changed: they are named, and a task to resolve them is created for the teammate.`

const mostFiles = 20

export function mergeTool(parts: {
  readonly merge: Merge
  /** The folder that contains `.git`. */
  readonly repository: string
  readonly board: Pick<Board, "create">
  readonly roster: Pick<Roster, "members">
  /** Where members have clones: brings the branch of one up to date. */
  readonly bring?: MemberClones["bring"] | undefined
}): AnyTool {
  const { board, roster } = parts

  async function merge(member: Member, message: string, signal: AbortSignal): ReturnType<Merge> {
    const { branch = "", folder } = member
    const brought = await parts.bring?.(member.sessionId)
    if (!brought) return parts.merge({ branch, folder, message, signal })
    if (!brought.ok) return failed({ kind: "not_now", why: `its newest commits are not here: ${brought.failure}` })
    const { uncommitted } = brought.value
    if (uncommitted.length > 0)
      return failed({ kind: "uncommitted", folder: `the clone of ${member.name}`, files: uncommitted })
    return parts.merge({ branch, message, signal })
  }

  /** The members that are gone stay in the roster with their branches. */
  async function memberNamed(name: string): Promise<Member | string> {
    const members = (await roster.members()).filter(({ branch }) => branch !== undefined)
    const names = members.map((member) => member.name).join(", ")
    return (
      members.find((member) => member.name === name) ??
      `${name} has no branch of its own. ${names === "" ? "Nobody has one." : `Those who have one: ${names}.`}`
    )
  }

  async function conflictTask(member: Member, files: readonly string[], into: string): Promise<string> {
    const created = await board.create({
      subject: `Resolve the conflicts of ${member.branch} with ${into}`,
      description: `In your worktree, merge ${into} into ${member.branch} (git merge ${into}), resolve the conflicts, run the tests and commit.\nConflicts in:\n${files.join("\n")}`,
      owner: member.name,
    })
    return created.ok ? `\nTask #${created.value.id} to resolve them is ${member.name}'s.` : ""
  }

  return defineTool({
    name: "MergeBranch",
    description,
    coordinates: true,
    input: shape.object({
      teammate: shape.string().trim().min(1).describe("Whose branch"),
      message: shape.string().trim().min(1).optional().describe("Of the merge commit"),
    }),
    title: ({ teammate }) => `Merge the branch of ${teammate}`,
    footprint: () => ({ ...writes(parts.repository), alone: true }),
    async run({ teammate, message }, { signal }): Promise<Outcome> {
      const member = await memberNamed(teammate)
      if (typeof member === "string") return refused(escapeImitations(member))
      const { branch = "" } = member
      const merged = await merge(member, message ?? `Merge the work of ${teammate}`, signal)
      if (merged.ok) {
        const { into, commits, files } = merged.value
        const text = `Merged ${branch} into ${into}: ${counted(commits, "commit")}, ${counted(files.length, "file")}.`
        return answered(escapeImitations(`${text}\n${listed(files)}`), {
          data: { branch, into, commits, files: [...files] },
          display: { kind: "text", text },
        })
      }
      const { failure } = merged
      const task = failure.kind === "conflicts" ? await conflictTask(member, failure.files, failure.into) : ""
      return refused(escapeImitations(`${failureWords(failure, member, parts.repository)}${task}`))
    },
  })
}

function failureWords(failure: MergeFailure, { name, branch = "" }: Member, repository: string): string {
  switch (failure.kind) {
    case "conflicts":
      return `Not merged: ${branch} and ${failure.into} conflict. Nothing was changed. Conflicts in:\n${listed(failure.files)}`
    case "nothing_new":
      return `${branch} has nothing that ${failure.into} does not have. If ${name} is finished, its work may not be committed.`
    case "no_branch":
      return `There is no branch ${failure.branch}.`
    case "uncommitted":
      return failure.folder === repository
        ? `Not merged: the merge would change files that have uncommitted changes here. They may be the user's work: ask the user what to do, and do not commit, stash or discard them yourself.\n${listed(failure.files)}`
        : `Not merged: ${failure.folder} has uncommitted changes. Ask ${name} to commit them first:\n${listed(failure.files)}`
    case "not_now":
      return `Not merged: ${failure.why}.`
    case "git":
      return `Not merged. git says: ${failure.why}`
    default:
      return never(failure)
  }
}

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

const listed = (files: readonly string[]): string =>
  [...files.slice(0, mostFiles), ...(files.length > mostFiles ? [`and ${files.length - mostFiles} more`] : [])].join(
    "\n",
  )
