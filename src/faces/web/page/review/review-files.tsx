/** The files of a review: all of them, or those whose path has what is typed. */

import { type ComponentType, memo, type ReactNode, useState } from "react"
import type { ChangedFile } from "#fleet/changes.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { Counts } from "./review-parts.tsx"
import { useWindowedRows } from "./windowed-rows.ts"

interface FileListProps {
  readonly files: readonly ChangedFile[]
  readonly current: string | undefined
  readonly onChoose: (file: ChangedFile) => void
}

export const FileList: ComponentType<FileListProps> = memo(function FileList({
  files,
  current,
  onChoose,
}: FileListProps) {
  const [wanted, setWanted] = useState("")
  const found = files.filter(({ path }) => path.toLowerCase().includes(wanted.trim().toLowerCase()))
  const rows = useWindowedRows(
    found.length,
    found.findIndex(({ id }) => id === current),
  )
  return (
    <section className="file-list" aria-label="Changed files">
      <input
        type="search"
        data-filter
        aria-label="Filter files"
        placeholder="Filter files"
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
        onKeyDown={(event) => {
          const first = found[0]
          if (event.key === "Enter" && first) onChoose(first)
        }}
      />
      {wanted !== "" && (
        <p className="dim" role="status">
          {counted(found.length, "file")}
        </p>
      )}
      <ul ref={rows.list} onScroll={rows.onScroll}>
        <li aria-hidden="true" style={{ height: rows.before }} />
        {found.slice(rows.from, rows.until).map((file, nth) => (
          <Row
            key={file.id}
            file={file}
            place={rows.from + nth + 1}
            of={found.length}
            isCurrent={file.id === current}
            onChoose={onChoose}
          />
        ))}
        <li aria-hidden="true" style={{ height: rows.after }} />
      </ul>
    </section>
  )
})

const Row = memo(function Row({
  file,
  place,
  of,
  isCurrent,
  onChoose,
}: {
  readonly file: ChangedFile
  readonly place: number
  readonly of: number
  readonly isCurrent: boolean
  readonly onChoose: (file: ChangedFile) => void
}): ReactNode {
  const { path, parts } = file
  const slash = path.lastIndexOf("/") + 1
  const isDone = parts.every(({ state }) => state !== "new")
  return (
    <li aria-posinset={place} aria-setsize={of}>
      <button
        type="button"
        className={isDone ? "done" : ""}
        aria-current={isCurrent ? "true" : undefined}
        onClick={() => onChoose(file)}
      >
        <span className="path" title={forConsent(path)}>
          <span className="dim">{forConsent(path.slice(0, slash))}</span>
          <span>{forConsent(path.slice(slash))}</span>
        </span>
        <Counts {...file} />
      </button>
    </li>
  )
})
