/** The changes of a session as one review: reading them, keeping or undoing parts, and comments that go to the model together. */

import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { commentsPrompt, pageOfHunks, type SessionComment } from "#fleet/changes.ts"
import { messageOp } from "#fleet/ops.ts"
import type { FleetSession } from "#fleet/records.ts"
import { optionalTime, time } from "#fleet/shown-approval.ts"
import {
  changedFileAnswer,
  changedFileQuery,
  changesAnswer,
  changesQuery,
  commentAnswer,
  commentBody,
  commentsAnswer,
  publishAnswer,
  publishBody,
  refreshAnswer,
  reviewAnswer,
  reviewBody,
  sendBody,
  sentAnswer,
} from "./change-schemas.ts"
import { answeredOp } from "./op-answers.ts"
import type { ChangedFilePage, ChangesPage, CommentList, ShownComment } from "./page/contract-changes.ts"
import { refusal } from "./refusal.ts"
import { mayContinue } from "./shared-folders.ts"
import {
  done,
  maySpend,
  maySteer,
  noSession,
  onSession,
  onSteered,
  type Route,
  type RouteAnswer,
  type RouteCall,
} from "./route.ts"
import { emptyBody } from "./request-schemas.ts"

const [usualFiles, pageLines] = [2_000, 1_500]

export const changeRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/sessions/:id/changes",
    about:
      "Lists the files that agents changed in a session, as they were when somebody last asked for it. next is the after of the next page.",
    needs: "viewer",
    query: changesQuery,
    answers: { status: 200, body: changesAnswer },
    run: onSession(list),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/changes/refresh",
    about: "Has a worker read the changes of a session again, if it has done something since.",
    needs: "viewer",
    body: emptyBody,
    answers: { status: 200, body: refreshAnswer },
    repeats: "itself",
    run: onSession(refresh),
  },
  {
    method: "GET",
    path: "/api/sessions/:id/changes/:file",
    about: "Shows what changed in a file: a page of its lines. next is the from of the next page.",
    needs: "viewer",
    query: changedFileQuery,
    answers: { status: 200, body: changedFileAnswer },
    run: onSession(async ({ records, at, query }, { id }) => {
      const found = await records.changes.file(id, at["file"] ?? "")
      if (!found) return failed(refusal("not_found", "There are no changes to that file any more."))
      return done<ChangedFilePage>({
        file: found.file,
        ...pageOfHunks(found.hunks, Number(query["from"] ?? 0), pageLines),
      })
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/changes/review",
    about: "Keeps, undoes or restores parts of what was changed, while the session does not work.",
    needs: "operator",
    body: reviewBody,
    answers: { status: 200, body: reviewAnswer },
    repeats: "itself",
    run: onSteered(async (asked, session) => {
      const { act, parts } = reviewBody.parse(asked.body)
      const free = act === "keep" ? ok({ status: 200 }) : await mayContinue(asked, session)
      if (!free.ok) return free
      const answer = await answeredOp(asked, session.id, { type: "review", act, hunks: parts }, "done that")
      if (!answer.ok) return answer
      return answer.value.ok ? done(answer.value.value) : failed(refusal("conflict", answer.value.message))
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/publish",
    about:
      "Commits what a session did in a repository, pushes it as a branch, and opens a pull request if one is wished for: each once.",
    needs: "operator",
    body: publishBody,
    answers: { status: 200, body: publishAnswer },
    repeats: "itself",
    run: onSteered(async (asked, { id }) => {
      const wish = publishBody.parse(asked.body)
      const answer = await answeredOp(asked, id, { type: "publish", ...wish }, "published it")
      if (!answer.ok) return answer
      return answer.value.ok ? done(answer.value.value) : failed(refusal("conflict", answer.value.message))
    }),
  },
  {
    method: "GET",
    path: "/api/sessions/:id/comments",
    about: "Lists the comments on a session and its changes, oldest first.",
    needs: "viewer",
    answers: { status: 200, body: commentsAnswer },
    run: onSession(async (asked, session) => {
      const comments = await asked.records.comments.list(session.id)
      return done<CommentList>({ comments: comments.map((each) => shownComment(asked, session, each)) })
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/comments",
    about: "Comments on a session, or on a line of its changes. The model does not get it before somebody sends it.",
    needs: "viewer",
    body: commentBody,
    answers: { status: 201, body: commentAnswer },
    run: onSession(async (asked, session) => {
      const { text, place } = commentBody.parse(asked.body)
      const id = asked.context.newId()
      const added = await asked.records.comments.add(session.id, {
        id,
        by: asked.who.name,
        text,
        ...optional("place", place),
      })
      if (added.ok) return done<ShownComment>(shownComment(asked, session, added.value), 201)
      return added.failure.kind === "too_many"
        ? failed(refusal("conflict", `A session has at most ${added.failure.most} comments. Remove some first.`))
        : noSession
    }),
  },
  {
    method: "DELETE",
    path: "/api/sessions/:id/comments/:comment",
    about: "Removes a comment that the model has not got yet.",
    needs: "viewer",
    answers: { status: 204 },
    run: onSession(removeComment),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/comments/send",
    about: "Sends comments to the model as one message, each of them once.",
    needs: "operator",
    body: sendBody,
    answers: { status: 202, body: sentAnswer },
    run: onSteered(send),
  },
]

async function list({ records, query }: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const { after = 0, limit = usualFiles, since } = query as { after?: number; limit?: number; since?: string }
  const known = await records.changes.known(session.id)
  const total = { files: known?.files ?? 0, added: known?.added ?? 0, removed: known?.removed ?? 0 }
  const files = known ? await records.changes.files(session.id, after, limit, since) : []
  const next = after + (since === undefined ? files.length : limit)
  return done<ChangesPage>({
    ...optional("at", optionalTime(known?.at)),
    ...optional("revision", known?.revision),
    isStale: known?.isStale ?? true,
    total,
    files,
    published: (await records.changes.publications(session.id)).map((work) => ({ ...work, at: time(work.at) })),
    ...((files.length > 0 || since !== undefined) && next < total.files && { next }),
  })
}

/** The same op for everybody who looks at the same moment of a session. */
async function refresh(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const known = await asked.records.changes.known(session.id)
  if (known && !known.isStale) return done({ files: known.files, added: known.added, removed: known.removed })
  const opId = `changes at ${session.lines}`
  const answer = await answeredOp(asked, session.id, { type: "changes" }, "read the changes", opId)
  if (!answer.ok) return answer
  return answer.value.ok ? done(answer.value.value) : failed(refusal("conflict", answer.value.message))
}

const mayRemove = (asked: RouteCall, session: FleetSession, { by, sentAt }: SessionComment): boolean =>
  sentAt === undefined && (by === asked.who.name || maySteer(asked, session))

const shownComment = (asked: RouteCall, session: FleetSession, comment: SessionComment): ShownComment => ({
  id: comment.id,
  by: comment.by,
  at: time(comment.at),
  text: comment.text,
  ...optional("place", comment.place),
  ...optional("sentAt", optionalTime(comment.sentAt)),
  mayRemove: mayRemove(asked, session, comment),
})

async function removeComment(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const id = asked.at["comment"] ?? ""
  const comment = (await asked.records.comments.list(session.id)).find((each) => each.id === id)
  if (!comment) return failed(refusal("not_found", "There is no such comment."))
  if (comment.sentAt !== undefined) return failed(refusal("conflict", "The model has got this comment already."))
  if (!mayRemove(asked, session, comment))
    return failed(
      refusal("forbidden", `This comment is by ${comment.by}. Only they or whoever steers the session can remove it.`),
    )
  await asked.records.comments.remove(session.id, id)
  return ok({ status: 204 })
}

async function send(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const { comments, note = "" } = sendBody.parse(asked.body)
  const paid = await maySpend(asked, session.createdBy, session.opening.workspace)
  if (!paid.ok) return paid
  const free = await mayContinue(asked, session)
  if (!free.ok) return free
  const sent = await asked.records.comments.send(session.id, comments, {
    opId: asked.context.newId(),
    by: asked.who.name,
    op: (chosen) => messageOp(commentsPrompt(chosen, note)),
  })
  if (sent.ok) return done({ sent: sent.value }, 202)
  switch (sent.failure.kind) {
    case "no_such_session":
      return noSession
    case "cancelled":
      return failed(refusal("conflict", "The session was cancelled. Create a new one."))
    case "nothing_to_send":
      return failed(refusal("conflict", "These comments were sent already, or removed."))
  }
}
