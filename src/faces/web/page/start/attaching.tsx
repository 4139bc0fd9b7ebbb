/** A field that takes pictures and files, pasted or dropped. */

import { type ReactNode, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { type Attachment, attachmentOf, mostAttached } from "./attached.ts"
import { Problem } from "#faces/web/page/loading.tsx"

interface AttachingProps {
  readonly attached: readonly Attachment[]
  readonly onChange: (attached: readonly Attachment[]) => void
  readonly children: ReactNode
}

export function Attaching({ attached, onChange, children }: AttachingProps): ReactNode {
  const [problem, setProblem] = useState("")
  const attachFiles = async (files: readonly File[]): Promise<void> => {
    const read = await Promise.all(files.slice(0, mostAttached).map(attachmentOf))
    const good = read.flatMap((each) => (each.ok ? [each.value] : []))
    const bad = read.flatMap((each) => (each.ok ? [] : [each.failure]))
    const all = [...attached, ...good]
    const tooMany = all.length > mostAttached ? [`At most ${mostAttached} files.`] : []
    setProblem([...bad, ...tooMany].join(" "))
    onChange(all.slice(0, mostAttached))
  }
  return (
    <div
      className="attaching"
      onPaste={(event) => {
        const files = [...event.clipboardData.files]
        if (files.length === 0) return
        event.preventDefault()
        void attachFiles(files)
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const files = [...event.dataTransfer.files]
        if (files.length === 0) return
        event.preventDefault()
        void attachFiles(files)
      }}
    >
      {children}
      {attached.length > 0 && (
        <ul className="chips" aria-label="Attached">
          {attached.map((each, nth) => (
            <li key={nth} className="chip">
              {forConsent(each.name)}{" "}
              <button
                type="button"
                className="quiet"
                aria-label={`Remove ${forConsent(each.name)}`}
                onClick={() => onChange(attached.filter((_, at) => at !== nth))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <label className="attach dim">
        <input
          type="file"
          multiple
          onChange={({ target }) => {
            void attachFiles([...(target.files ?? [])])
            target.value = ""
          }}
        />
        Attach files
      </label>
      <Problem text={forConsent(problem)} />
    </div>
  )
}
