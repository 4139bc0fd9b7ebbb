/** What people say about a session to each other. The model gets it only when somebody sends it, which the review does. */

import { type ReactNode, useState } from "react"
import { counted } from "#lib/figures.ts"
import { at, failureText, post, remove } from "#faces/web/page/api.ts"
import type { CommentList } from "#faces/web/page/contract-changes.ts"
import { useNow, usePolled } from "#faces/web/page/polled.ts"
import { Comment, CommentForm } from "./review-parts.tsx"
import { toReview } from "#faces/web/page/route.ts"

export function CommentsBox({ sessionId }: { readonly sessionId: string }): ReactNode {
  const path = `/api/sessions/${at(sessionId)}/comments`
  const list = usePolled<CommentList>(path, { everyMs: 15_000, on: ["sessions"] })
  const [isWriting, setWriting] = useState(false)
  const now = useNow()
  const comments = list.value?.comments ?? []
  const general = comments.filter(({ place }) => place === undefined)
  const onLines = comments.length - general.length
  const add = async (text: string): Promise<string> => {
    const added = await post(path, { text })
    if (!added.ok) return failureText(added.failure)
    setWriting(false)
    list.refresh()
    return ""
  }
  return (
    <>
      {general.map((comment) => (
        <Comment
          key={comment.id}
          comment={comment}
          now={now}
          onRemove={({ id }) => void remove(`${path}/${at(id)}`).then(list.refresh)}
        />
      ))}
      {onLines > 0 && (
        <p>
          <a href={toReview(sessionId)}>{counted(onLines, "comment")} on lines</a>
        </p>
      )}
      {isWriting ? (
        <CommentForm onAdd={add} onCancel={() => setWriting(false)} />
      ) : (
        <button type="button" className="quiet" onClick={() => setWriting(true)}>
          Add a comment
        </button>
      )}
    </>
  )
}
