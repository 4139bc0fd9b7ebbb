/** The files of a review: all of them, or those whose path has what is typed. */

import { type ComponentType, memo, type ReactNode, useState } from "react"
import type { ChangedFile } from "#fleet/changes.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { Counts } from "./review-parts.tsx"

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
      <ul>
        {found.map((file) => (
          <Row key={file.id} file={file} isCurrent={file.id === current} onChoose={onChoose} />
        ))}
      </ul>
    </section>
  )
})

const Row = memo(function Row({
  file,
  isCurrent,
  onChoose,
}: {
  readonly file: ChangedFile
  readonly isCurrent: boolean
  readonly onChoose: (file: ChangedFile) => void
}): ReactNode {
  const { path, parts } = file
  const slash = path.lastIndexOf("/") + 1
  const isDone = parts.every(({ state }) => state !== "new")
  return (
    <li>
      <button
        type="button"
        className={isDone ? "done" : ""}
        aria-current={isCurrent ? "true" : undefined}
        onClick={() => onChoose(file)}
      >
        <span className="path" title={forConsent(path)}>
          <span className="dim">{forConsent(path.slice(0, slash))}</span>
          {forConsent(path.slice(slash))}
        </span>
        <Counts {...file} />
      </button>
    </li>
  )
})
