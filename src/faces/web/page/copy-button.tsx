/** Copies a text, and says so. */

import { type ReactNode, useState } from "react"

export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied">("")
  // Browsers keep the clipboard from pages without TLS, other than those of this machine.
  if (!navigator.clipboard) return null
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid("Copied")
    } catch {
      setSaid("Not copied")
    }
  }
  return (
    <button type="button" className="copy" onClick={() => void copy()}>
      {said === "" ? "Copy" : said}
      <span className="hidden" role="status">
        {said}
      </span>
    </button>
  )
}
