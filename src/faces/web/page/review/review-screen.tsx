/** All changes of a session as one review: by file, part by part, with comments that go back to the model together. */

import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react"
import type { ReviewAct } from "#agent/words/entry.ts"
import type { ChangedFile, ChangedPart } from "#fleet/changes.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { at, failureText, post, remove } from "#faces/web/page/api.ts"
import type { ShownSession, SignedIn } from "#faces/web/page/contract.ts"
import type { ReviewOutcome, ShownComment } from "#faces/web/page/contract-changes.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { useNow, usePolled } from "#faces/web/page/polled.ts"
import { Published, PublishForm } from "./publish-form.tsx"
import { type Block, blocksOf, type LineKey } from "./review-blocks.ts"
import { type ReviewData, useReviewData } from "./review-data.ts"
import { FileList } from "./review-files.tsx"
import { useReviewKeys } from "./review-keys.ts"
import { SplitLines, UnifiedLines } from "./review-lines.tsx"
import { Counts, FileHead, HunkHead, type OnAct, Talk } from "./review-parts.tsx"
import { SendComments } from "./review-send.tsx"
import { toSession } from "#faces/web/page/route.ts"
import { useKept } from "#faces/web/page/kept.ts"
import { useWindowed } from "./windowed.ts"
import { readOnlyReason, stageWords } from "#faces/web/page/words.ts"

interface ReviewScreenProps {
  readonly id: string
  readonly me: SignedIn | undefined
  readonly onName: (name: string) => void
}

export function ReviewScreen({ id, me, onName }: ReviewScreenProps): ReactNode {
  const record = usePolled<ShownSession>(`/api/sessions/${at(id)}`, { everyMs: 10_000, on: ["sessions"] })
  const session = record.value
  const isWorking = session && stageWords[session.stage].tone === "works"
  const review = useReviewData(id, isWorking)
  const name = session ? `Changes: ${forConsent(session.title)}` : ""
  useEffect(() => onName(name), [name, onName])
  const { value, failure } = review.changes
  if (!session || !value) return <Loading failure={record.failure ?? failure} what="the changes" />
  const readOnly = isWorking
    ? "The session is working. Keep and undo are there when it stops."
    : readOnlyReason(session, me)
  return (
    <div className="review">
      <header className="review-head">
        <h1>
          Changes <span className="dim">in</span> <a href={toSession(id)}>{forConsent(session.title)}</a>
        </h1>
        <p className="facts">
          {value.at !== undefined && <span>{counted(value.total.files, "file")}</span>}
          <Counts {...value.total} />
          {readOnly !== undefined && value.files.length > 0 && <span>{readOnly}</span>}
        </p>
        <Published published={value.published} />
        <Reading
          review={review}
          isKnown={value.at !== undefined}
          isStale={value.isStale}
          isWorking={isWorking === true}
        />
        {"git" in session.workspace && session.mayChange && value.files.length > 0 && (
          <details>
            <summary>Commit, push and open a pull request</summary>
            <PublishForm session={session} published={value.published} onDone={review.changes.refresh} />
          </details>
        )}
      </header>
      {value.files.length > 0 && (
        <Files session={session} review={review} files={value.files} mayAct={readOnly === undefined} />
      )}
      {value.at !== undefined && value.files.length === 0 && !review.isReading && (
        <div className="empty">
          <h2>No files changed</h2>
          <p>Nothing in this session has changed a file so far.</p>
        </div>
      )}
    </div>
  )
}

interface ReadingProps {
  readonly review: ReviewData
  readonly isKnown: boolean
  readonly isStale: boolean
  readonly isWorking: boolean
}

function Reading({ review, isKnown, isStale, isWorking }: ReadingProps): ReactNode {
  const { isReading, problem, readAgain } = review
  const words = isReading ? "Reading the changes…" : problem
  return (
    <>
      <p role="status" className={words === "" ? "hidden" : "note"}>
        {words}
      </p>
      {!isReading && (!isKnown || problem !== "" || (isStale && isWorking)) && (
        <button type="button" onClick={readAgain}>
          {isKnown ? "Read again" : "Read the changes"}
        </button>
      )}
    </>
  )
}

interface FilesProps {
  readonly session: ShownSession
  readonly review: ReviewData
  readonly files: readonly ChangedFile[]
  readonly mayAct: boolean
}

function Files({ session, review, files, mayAct }: FilesProps): ReactNode {
  const [view, setView] = useKept("codewright.review", ["unified", "split"] as const)
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set())
  const [writing, setWriting] = useState<LineKey>()
  const acting = useActing(session.id, review)
  const now = useNow()
  const { loaded, comments, load } = review
  const blocks = useMemo(
    () => blocksOf({ files, loaded, folded, comments, writing, view }),
    [files, loaded, folded, comments, writing, view],
  )
  const windowed = useWindowed(blocks)
  const { from, until, goTo } = windowed
  const drawn = blocks.slice(from, until)
  useEffect(() => {
    for (const block of drawn) if (block.kind === "wait" && block.problem === undefined) load(block.file, block.from)
  })
  const fold = (id: string): void =>
    setFolded((before) =>
      before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id]),
    )
  const choose = useCallback((file: ChangedFile): void => goTo(file.id), [goTo])
  const current = blocks[windowed.top]?.file.id
  useReviewKeys({
    blocks,
    top: windowed.top,
    goTo,
    onFold: () => current !== undefined && fold(current),
    onView: () => setView(view === "split" ? "unified" : "split"),
  })
  const talk: TalkParts = { session, review, now, setWriting }
  return (
    <>
      <div className="review-tools">
        <div role="group" aria-label="View" className="segmented">
          <button type="button" aria-pressed={view === "unified"} onClick={() => setView("unified")}>
            Unified
          </button>
          <button type="button" aria-pressed={view === "split"} onClick={() => setView("split")}>
            Side by side
          </button>
        </div>
        <button
          type="button"
          className="quiet"
          onClick={() => setFolded(folded.size > 0 ? new Set() : new Set(files.map(({ id }) => id)))}
        >
          {folded.size > 0 ? "Unfold all" : "Fold all"}
        </button>
        <span className="dim only-desk">
          <kbd>j</kbd> <kbd>k</kbd> file · <kbd>n</kbd> <kbd>p</kbd> change · <kbd>c</kbd> comment
        </span>
        <p role="status" className={acting.said.text === "" ? "hidden" : acting.said.isBad ? "bad" : "dim"}>
          {acting.said.text}
        </p>
      </div>
      <div className="review-body">
        <FileList files={files} current={current} onChoose={choose} />
        <div className="column" ref={windowed.column}>
          <div style={{ height: windowed.before }} />
          {drawn.map((block) => (
            <div key={block.key} data-block={block.key} className={`block ${block.kind}`}>
              <OneBlock
                block={block}
                talk={talk}
                acting={acting}
                mayAct={mayAct}
                onFold={fold}
                onComment={setWriting}
              />
            </div>
          ))}
          <div style={{ height: Math.max(0, windowed.after) }} />
        </div>
      </div>
      <SendComments
        session={session}
        comments={comments}
        now={now}
        mayAct={session.mayChange}
        onSent={review.refreshComments}
        onRemove={remover(talk)}
      />
    </>
  )
}

interface TalkParts {
  readonly session: ShownSession
  readonly review: ReviewData
  readonly now: number
  readonly setWriting: (at: LineKey | undefined) => void
}

const remover =
  ({ session, review }: TalkParts) =>
  (comment: ShownComment): void =>
    void remove(`/api/sessions/${at(session.id)}/comments/${at(comment.id)}`).then(review.refreshComments)

interface OneBlockProps {
  readonly block: Block
  readonly talk: TalkParts
  readonly acting: Acting
  readonly mayAct: boolean
  readonly onFold: (id: string) => void
  readonly onComment: (at: LineKey) => void
}

function OneBlock({ block, talk, acting, mayAct, onFold, onComment }: OneBlockProps): ReactNode {
  const { file } = block
  const onAct = mayAct ? acting.act : undefined
  const comment = useCallback(
    (place: Pick<LineKey, "side" | "line">): void => onComment({ fileId: file.id, ...place }),
    [file.id, onComment],
  )
  switch (block.kind) {
    case "file":
      return (
        <FileHead
          file={file}
          isFolded={block.isFolded}
          onFold={() => onFold(file.id)}
          onAct={onAct}
          isActing={acting.isActing}
        />
      )
    case "hunk":
      return <HunkHead {...block} onAct={onAct} isActing={acting.isActing} />
    case "lines":
      return <UnifiedLines path={file.path} rows={block.rows} onComment={comment} />
    case "split":
      return <SplitLines path={file.path} rows={block.rows} onComment={comment} />
    case "wait":
      return (
        <p className="dim" style={{ height: block.height }}>
          {block.problem ?? "Loading…"}
        </p>
      )
    case "note":
      return <p className="dim">{block.text}</p>
    case "talk":
      return <LineTalk block={block} talk={talk} />
  }
}

function LineTalk({
  block,
  talk,
}: {
  readonly block: Block & { readonly kind: "talk" }
  readonly talk: TalkParts
}): ReactNode {
  const { session, review, now, setWriting } = talk
  const add = async (text: string): Promise<string> => {
    const { side, line } = block.at
    const place = { path: block.file.path, side, line, quote: block.quote.slice(0, 4_000) }
    const added = await post(`/api/sessions/${at(session.id)}/comments`, { text, place })
    if (!added.ok) return failureText(added.failure)
    review.refreshComments()
    setWriting(undefined)
    return ""
  }
  return (
    <Talk
      comments={block.comments}
      isWriting={block.isWriting}
      now={now}
      onAdd={add}
      onCancel={() => setWriting(undefined)}
      onRemove={remover(talk)}
    />
  )
}

interface Acting {
  readonly act: OnAct
  readonly isActing: boolean
  readonly said: { readonly text: string; readonly isBad: boolean }
}

const doneWords: { readonly [act in ReviewAct]: string } = { keep: "Kept", undo: "Undid", restore: "Restored" }

function useActing(sessionId: string, { changes }: ReviewData): Acting {
  const [isActing, setActing] = useState(false)
  const [said, setSaid] = useState({ text: "", isBad: false })
  const { refresh } = changes
  const act = useCallback(
    (verb: ReviewAct, parts: readonly ChangedPart[]): void => {
      setActing(true)
      setSaid({ text: "Working…", isBad: false })
      void post<ReviewOutcome>(`/api/sessions/${at(sessionId)}/changes/review`, {
        act: verb,
        parts: parts.map(({ id }) => id),
      }).then((answered) => {
        setActing(false)
        setSaid(answered.ok ? outcomeWords(verb, answered.value) : { text: failureText(answered.failure), isBad: true })
        refresh()
      })
    },
    [sessionId, refresh],
  )
  return { act, isActing, said }
}

function outcomeWords(verb: ReviewAct, { done, left }: ReviewOutcome): Acting["said"] {
  const rest = left.map(
    ({ path, line, why }) => `${forConsent(path)}${line === undefined ? "" : ` line ${line}`} (${why})`,
  )
  const text = `${doneWords[verb]} ${counted(done, "change")}.${rest.length > 0 ? ` Left as they are: ${rest.join(", ")}.` : ""}`
  return { text, isBad: rest.length > 0 }
}
