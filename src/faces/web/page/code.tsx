/** Code in colours: only words that mean something have one. */

import type { ReactNode } from "react"
import { type Language, languageNamed } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan, type Token } from "#faces/view/syntax/scan.ts"
import { CopyButton } from "./copy-button.tsx"

export function Code({ lines, language }: { readonly lines: readonly string[]; readonly language: string }): ReactNode {
  const text = lines.join("\n")
  return (
    <div className="code">
      <CopyButton text={text} />
      <pre tabIndex={0}>
        <code>{coloured(lines, language)}</code>
      </pre>
    </div>
  )
}

function coloured(lines: readonly string[], name: string): ReactNode {
  const language = languageNamed(name)
  if (name === "diff" || name === "patch") return lines.map(diffLine)
  return language ? scanned(lines, language) : lines.join("\n")
}

function scanned(lines: readonly string[], language: Language): ReactNode {
  const scan = openScan(language)
  let open: OpenToken = undefined
  return lines.map((line, i) => {
    const { tokens, open: rest } = scan(line, open)
    open = rest
    return (
      <span key={i}>
        {drawnTokens(tokens)}
        {i < lines.length - 1 && "\n"}
      </span>
    )
  })
}

export const drawnTokens = (tokens: readonly Token[]): ReactNode =>
  tokens.map(({ text, role }, i) =>
    role === "plain" ? (
      text
    ) : (
      <span key={i} className={`token-${role}`}>
        {text}
      </span>
    ),
  )

function diffLine(line: string, key: number): ReactNode {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""
  return (
    <span key={key} className={kind}>
      {line}
      {"\n"}
    </span>
  )
}
