/** What several sessions share: a graph of tasks, mail, and who is there. Kept outside the agents, so no model has to work out who does what when. */

import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"

export const taskStatuses = ["pending", "in_progress", "completed", "deleted"] as const
export type TaskStatus = (typeof taskStatuses)[number]

export interface TeamTask {
  /** A small number, never used again. */
  readonly id: string
  readonly subject: string
  readonly description: string
  /** What is shown while someone works on it: "Writing the parser". */
  readonly activeForm?: string
  readonly status: TaskStatus
  /** Who works on it, or who is to. */
  readonly owner?: string
  readonly blocks: readonly string[]
  readonly blockedBy: readonly string[]
  /** How often it was begun and given back. */
  readonly attempts: number
  /** What earlier owners left for the next one, oldest first. */
  readonly notes: readonly string[]
  readonly metadata: JsonObject
}

export interface NewTask {
  readonly subject: string
  readonly description: string
  readonly activeForm?: string
  readonly owner?: string
  readonly blocks?: readonly string[]
  readonly blockedBy?: readonly string[]
  readonly metadata?: JsonObject
}

/** `null` takes a value away. Beginning and ending work are claims, not changes. */
export interface TaskChange {
  readonly subject?: string
  readonly description?: string
  readonly activeForm?: string | null
  readonly owner?: string | null
  readonly status?: "pending" | "deleted"
  readonly addBlocks?: readonly string[]
  readonly addBlockedBy?: readonly string[]
  readonly removeBlocks?: readonly string[]
  readonly removeBlockedBy?: readonly string[]
  /** Merged into what is there; `null` removes a key. */
  readonly metadata?: JsonObject
}

export type TaskFailure =
  | { readonly kind: "no_such_task"; readonly id: string }
  /** Each blocks the next one, and the last is the first. */
  | { readonly kind: "cycle"; readonly ids: readonly string[] }
  | { readonly kind: "blocked"; readonly id: string; readonly by: readonly string[] }
  | { readonly kind: "claimed"; readonly id: string; readonly owner: string }
  | { readonly kind: "resolved"; readonly id: string; readonly status: TaskStatus }
  /** The worker has this task open, and asked for another only if it had none. */
  | { readonly kind: "busy"; readonly id: string }
  /** Nothing can be begun now. */
  | { readonly kind: "nothing" }
  /** A hook of the user's said no to a new task, or that it is done. */
  | { readonly kind: "refused_by_hook"; readonly id: string; readonly why: string }
  /** The task went to somebody else in the meantime. */
  | { readonly kind: "lost"; readonly id: string }

/** The right to work on a task, until it is finished, given back, or nothing was heard of the worker for too long. */
export interface Claim {
  readonly task: TeamTask
  /** Higher than that of every earlier claim. */
  readonly lease: number
}

/** A claim as others see it. */
export interface OpenClaim {
  readonly id: string
  readonly owner: string
  readonly lease: number
  /** Grows while the worker lives. Nobody compares clocks. */
  readonly beat: number
}

/** The tool call for which the store is changed: repeating it changes nothing more, and gives what came of it the first time. */
export interface CallKey {
  readonly caller: string
  readonly id: string
}

export interface Board {
  /** `id`: one that was reserved. */
  readonly create: (
    task: NewTask,
    call?: CallKey,
    reserved?: { readonly id: string },
  ) => Promise<Result<TeamTask, TaskFailure>>
  /** The number of a task that may be created. */
  readonly reserve: () => Promise<string>
  /** Who is in the team, if nobody there has this name. A list without a team knows nobody. */
  readonly othersThan: (name: string) => Promise<readonly string[] | undefined>
  readonly change: (id: string, change: TaskChange, call?: CallKey) => Promise<Result<TeamTask, TaskFailure>>
  readonly get: (id: string) => Promise<TeamTask | undefined>
  /** All that are not deleted, by id. */
  readonly list: () => Promise<readonly TeamTask[]>
  /** The first task that nobody owns and nothing blocks, those assigned to the worker before others; or the one named. */
  readonly claim: (
    worker: string,
    wish?: { readonly id?: string; readonly onlyIfFree?: boolean },
    call?: CallKey,
  ) => Promise<Result<Claim, TaskFailure>>
  /** Says that the workers of these claims live. */
  readonly beat: (leases: readonly number[]) => Promise<void>
  readonly claims: () => Promise<readonly OpenClaim[]>
  readonly complete: (id: string, lease: number, call?: CallKey) => Promise<Result<TeamTask, TaskFailure>>
  /** Back to be done by someone, with a note for them. The third time it goes to the lead. */
  readonly giveBack: (id: string, lease: number, note: string, call?: CallKey) => Promise<Result<TeamTask, TaskFailure>>
  /** Like giveBack, for a worker that is gone; nothing happens if it was heard of since `claim` was read. */
  readonly takeBack: (claim: OpenClaim, note: string) => Promise<Result<TeamTask, TaskFailure>>
}

export const mailTypes = [
  "message",
  "shutdown_request",
  "shutdown_response",
  "plan_approval_request",
  "plan_approval_response",
  /** What a member says at the end of a turn, for the lead. */
  "report",
  /** What became of a task: written by the store, for the lead. */
  "task_notification",
] as const
export type MailType = (typeof mailTypes)[number]

export interface Letter {
  readonly from: string
  /** A member, or `*` for all but the sender. */
  readonly to: string
  readonly type: MailType
  readonly text: string
  readonly summary?: string
  /** The number of the message that this one answers. */
  readonly answers?: number
  /** Of an answer to a request. */
  readonly approve?: boolean
  /** Sending again with the same key sends nothing. */
  readonly key: string
}

export interface Mail extends Omit<Letter, "key"> {
  readonly seq: number
  /** The member it was sent to, if they had left and it came here instead. */
  readonly meantFor?: string
  readonly sentAt: number
  readonly deliveredAt?: number
  /** What the reader should know about it, as sentences of the program. Not kept. */
  readonly note?: string
}

/** Longer texts of members are cut: they belong in files. */
export const mostMailChars = 16_000

/** `#1 Add the route: completed`, and perhaps more in further lines. */
export const completionOf = ({ type, text }: Pick<Mail, "type" | "text">): { readonly id: string } | undefined => {
  const [, id] = (type === "task_notification" && /^#(\d+) .*: completed$/m.exec(text.split("\n", 1)[0] ?? "")) || []
  return id === undefined ? undefined : { id }
}

/** Mail that can wait while its sender goes on working: reports, and tasks that were completed. */
export const isRoutine = (mail: Pick<Mail, "type" | "text">): boolean =>
  mail.type === "report" || completionOf(mail) !== undefined

/** A message that was put in a box, and how many were still unread before it. */
export interface Posted {
  readonly seq: number
  readonly to: string
  readonly ahead: number
  readonly meantFor?: string
}

export type MailFailure =
  | { readonly kind: "no_such_member"; readonly name: string; readonly members: readonly string[] }
  /** So many messages of this sender wait there already. */
  | { readonly kind: "too_many"; readonly to: string; readonly unread: number }

export interface Mailboxes {
  /** In the boxes when it resolves. */
  readonly send: (letter: Letter, call?: CallKey) => Promise<Result<readonly Posted[], MailFailure>>
  /** In order. The cursor is the reader's: the last number in its own log. */
  readonly after: (reader: string, cursor: number) => Promise<readonly Mail[]>
  /** The reader has everything up to here in its own log; what all have read may go. */
  readonly delivered: (reader: string, cursor: number) => Promise<void>
  /** What is kept, for showing. */
  readonly all: () => Promise<readonly Mail[]>
}

export const memberStates = ["working", "idle", "gone"] as const
export type MemberState = (typeof memberStates)[number]

export interface Member {
  readonly name: string
  readonly sessionId: string
  readonly agentType?: string
  readonly color?: string
  /** Where it works, and on which branch if that is its own. */
  readonly folder?: string
  readonly branch?: string
  /** The call that started it. */
  readonly callId?: string
  /** The process it runs in, with its start where the system tells. */
  readonly pid: number
  readonly start: string
  readonly host: string
  readonly state: MemberState
  readonly activity?: string
  readonly tokens: number
  readonly costUsd: number
  readonly joinedAt: number
}

export type NewMember = Omit<Member, "state" | "tokens" | "costUsd" | "joinedAt">

export interface MemberNews {
  readonly activity?: string
  readonly tokens?: number
  readonly costUsd?: number
}

/** What keeps a member from being idle. */
export interface Owed {
  readonly openTask?: string
  readonly readyTask?: string
  readonly unread: number
}

export interface TeamAbout {
  readonly name: string
  readonly description?: string
  readonly lead: string
}

export interface Roster {
  readonly about: () => Promise<TeamAbout>
  /** A name that was here before may come back; one that is here may not be taken. */
  readonly join: (member: NewMember) => Promise<Result<Member, { readonly kind: "name_taken"; readonly name: string }>>
  readonly report: (name: string, news: MemberNews) => Promise<void>
  readonly working: (name: string) => Promise<void>
  /** Refused, with what is owed, while there is work or mail for the member. */
  readonly idle: (name: string, cursor: number) => Promise<Result<void, Owed>>
  /** Its unread mail goes to the lead, and its tasks go back. `stopped`: by the user, so that no task counts as tried in vain. */
  readonly leave: (name: string, note: string, how?: "stopped") => Promise<void>
  readonly members: () => Promise<readonly Member[]>
}

/** What came of a call, by the parts it consists of. Parts that are absent had no effect. */
export interface CallRecord {
  readonly create?: TeamTask
  readonly change?: TeamTask
  readonly claim?: Claim
  readonly complete?: TeamTask
  readonly giveBack?: TeamTask
  readonly send?: readonly Posted[]
}

export interface TeamStore {
  /** What came of a call, for a caller that ended before it could note that. */
  readonly callRecord: (call: CallKey) => Promise<CallRecord>
  readonly board: Board
  readonly mail: Mailboxes
  readonly roster: Roster
  readonly moment: () => Promise<TeamMoment>
  /** Called after something changed, by whomever; the returned function ends that. */
  readonly watch: (changed: () => void) => () => void
  readonly close: () => Promise<void>
}

/** All of a team at one moment. */
export interface TeamMoment extends TeamAbout {
  readonly members: readonly Member[]
  readonly tasks: readonly TeamTask[]
  readonly mail: readonly Mail[]
}

/** For showing. */
export interface TeamOverview extends Omit<TeamMoment, "lead"> {
  /** Absent for a list of tasks without a team. */
  readonly lead?: string
  /** Questions of members that the user has not answered. */
  readonly waiting?: number
  /** The lead is about to be told that tasks are open and nobody works on them. */
  readonly isReminding?: true
}

export const hasUnread = (name: string, { mail }: Pick<TeamMoment, "mail">): boolean =>
  mail.some(({ to, deliveredAt }) => to === name && deliveredAt === undefined)

export const isOpen = ({ status }: Pick<TeamTask, "status">): boolean =>
  status === "pending" || status === "in_progress"

/** `null`: to whoever is free first. The failure is a message for the user. */
export type AssignTask = (taskId: string, to: string | null) => Promise<Result<void, string>>
