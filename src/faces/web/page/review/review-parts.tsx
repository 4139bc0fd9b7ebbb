/** The parts of a review: heads of files and changes with what can be done to them, and what people said about lines. */

import { type ReactNode, useEffect, useRef, useState } from "react"
import type { ReviewAct } from "#agent/words/entry.ts"
import type { ChangedFile, ChangedPart } from "#fleet/changes.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownComment } from "#faces/web/page/contract-changes.ts"
import { legibleText } from "#faces/web/page/legible.ts"
import { ago } from "#faces/web/page/words.ts"
import { Problem } from "#faces/web/page/loading.tsx"

/** Undefined where this user only looks. */
export type OnAct = (act: ReviewAct, parts: readonly ChangedPart[]) => void

const changeWords: { readonly [change in ChangedFile["change"]]: string } = {
  created: "new",
  modified: "",
  removed: "deleted",
  mode: "permissions",
}

/** Nothing where no line is counted, as in a picture. */
export const Counts = ({ added, removed }: Pick<ChangedFile, "added" | "removed">): ReactNode => (
  <span className="counts">
    {added > 0 && <span className="plus">+{added.toLocaleString("en")}</span>}
    {added > 0 && removed > 0 && " "}
    {removed > 0 && <span className="minus">-{removed.toLocaleString("en")}</span>}
  </span>
)

interface FileHeadProps {
  readonly file: ChangedFile
  readonly isFolded: boolean
  readonly onFold: () => void
  readonly onAct: OnAct | undefined
  readonly isActing: boolean
}

export function FileHead({ file, isFolded, onFold, onAct, isActing }: FileHeadProps): ReactNode {
  const { path, change, parts } = file
  return (
    <header className="file-head">
      <h2>
        <button type="button" className="fold" data-focus aria-expanded={!isFolded} onClick={onFold}>
          <span aria-hidden="true">{isFolded ? "▸" : "▾"}</span> <span className="path">{forConsent(path)}</span>
        </button>
      </h2>
      {changeWords[change] !== "" && <span className={`tag ${change}`}>{changeWords[change]}</span>}
      <Counts {...file} />
      <PartButtons parts={parts} of={`all changes to ${forConsent(path)}`} onAct={onAct} isActing={isActing} />
    </header>
  )
}

interface HunkHeadProps {
  readonly file: ChangedFile
  readonly part: ChangedPart | undefined
  readonly hidden: number
  readonly title: string
  readonly onAct: OnAct | undefined
  readonly isActing: boolean
}

/** Where the whole file is one part, its head has the buttons. */
export function HunkHead({ file, part, hidden, title, onAct, isActing }: HunkHeadProps): ReactNode {
  const own = part && file.parts.length > 1 ? [part] : []
  const folded = hidden > 0 ? counted(hidden, "unchanged line") : ""
  return (
    <div className={`hunk-head ${part?.state ?? ""}`} tabIndex={-1} data-focus>
      <span className="dim">{folded === "" ? title : `${title} · ${folded} above`}</span>
      <PartButtons
        parts={own}
        of={`the change at ${title.toLowerCase()} of ${forConsent(file.path)}`}
        onAct={onAct}
        isActing={isActing}
      />
    </div>
  )
}

interface PartButtonsProps {
  readonly parts: readonly ChangedPart[]
  readonly of: string
  readonly onAct: OnAct | undefined
  readonly isActing: boolean
}

const stateTags = { kept: "kept", undone: "undone" } as const

function PartButtons({ parts, of, onAct, isActing }: PartButtonsProps): ReactNode {
  if (parts.length === 0) return null
  const fresh = parts.filter(({ state }) => state === "new")
  const standing = parts.filter(({ state }) => state !== "undone")
  const undone = parts.filter(({ state }) => state === "undone")
  const state = standing.length === 0 ? "undone" : fresh.length === 0 ? "kept" : undefined
  return (
    <span className="part-buttons">
      {state && <span className={`tag ${state}`}>{stateTags[state]}</span>}
      {onAct && fresh.length > 0 && (
        <button
          type="button"
          className="quiet"
          disabled={isActing}
          aria-label={`Keep ${of}`}
          onClick={() => onAct("keep", fresh)}
        >
          Keep
        </button>
      )}
      {onAct && standing.length > 0 && (
        <button
          type="button"
          className="quiet"
          disabled={isActing}
          aria-label={`Undo ${of}`}
          onClick={() => onAct("undo", standing)}
        >
          Undo
        </button>
      )}
      {onAct && undone.length > 0 && (
        <button
          type="button"
          className="quiet"
          disabled={isActing}
          aria-label={`Restore ${of}`}
          onClick={() => onAct("restore", undone)}
        >
          Restore
        </button>
      )}
    </span>
  )
}

interface TalkProps {
  readonly comments: readonly ShownComment[]
  readonly isWriting: boolean
  readonly now: number
  readonly onAdd: (text: string) => Promise<string>
  readonly onCancel: () => void
  readonly onRemove: (comment: ShownComment) => void
}

export function Talk({ comments, isWriting, now, onAdd, onCancel, onRemove }: TalkProps): ReactNode {
  return (
    <div className="line-talk">
      {comments.map((comment) => (
        <Comment key={comment.id} comment={comment} now={now} onRemove={onRemove} />
      ))}
      {isWriting && <CommentForm onAdd={onAdd} onCancel={onCancel} />}
    </div>
  )
}

export function Comment({
  comment,
  now,
  onRemove,
}: {
  readonly comment: ShownComment
  readonly now: number
  readonly onRemove: (comment: ShownComment) => void
}): ReactNode {
  const { by, at, text, sentAt, mayRemove } = comment
  return (
    <div className="comment" data-comment={comment.id}>
      <p className="dim">
        <strong>{forConsent(by)}</strong>
        <span>
          {ago(at, now)}
          {sentAt !== undefined && " · sent to the model"}
        </span>
        {mayRemove && (
          <button type="button" className="quiet" onClick={() => onRemove(comment)}>
            Remove
          </button>
        )}
      </p>
      <p className="whole">{legibleText(text)}</p>
    </div>
  )
}

export function CommentForm({
  onAdd,
  onCancel,
}: {
  /** Returns what went wrong; empty if nothing did. */
  readonly onAdd: (text: string) => Promise<string>
  readonly onCancel: () => void
}): ReactNode {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState("")
  const [isSending, setSending] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  const add = async (): Promise<void> => {
    if (text.trim() === "" || isSending) return
    setSending(true)
    const wrong = await onAdd(text)
    setSending(false)
    setProblem(wrong)
  }
  return (
    <form
      className="comment-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <textarea
        ref={field}
        aria-label="Comment"
        rows={3}
        value={text}
        placeholder="What should be different here?"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text === "") onCancel()
          if (event.key !== "Enter" || (!event.ctrlKey && !event.metaKey)) return
          event.preventDefault()
          void add()
        }}
      />
      <div className="buttons">
        <button type="submit" className="primary" disabled={text.trim() === "" || isSending} title="Ctrl+Enter">
          Add comment
        </button>
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
      <Problem text={problem} />
    </form>
  )
}
