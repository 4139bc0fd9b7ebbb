/** A conversation as one HTML file that needs nothing else: no script, no font, no picture from elsewhere. */

import { stripControls } from "#lib/printable.ts"
import { answerHtml, escaped } from "./answer-html.ts"
import type { DocumentHead, Draw } from "./markdown.ts"
import type { CallPart, DocumentPart } from "./parts.ts"
import { resultText } from "./result-text.ts"

export const htmlDocument: Draw = {
  head,
  parts: (parts) => parts.map((part) => `${partHtml(part)}\n`).join(""),
  foot: "</main>\n</body>\n</html>\n",
}

function head({ title, facts }: DocumentHead): string {
  const rows = facts.map(([name, value]) => `<dt>${said(name)}</dt><dd>${said(value)}</dd>`).join("")
  // The policy is a second lock: whatever the text says, nothing in it can run or be fetched.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${said(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${said(title)}</h1><dl>${rows}</dl></header>
<main>
`
}

function partHtml(part: DocumentPart): string {
  switch (part.kind) {
    case "prompt":
      return `<section class="prompt"><h2>Prompt</h2><pre>${said(part.text)}</pre></section>`
    case "answer":
      return `<section class="answer">${answerHtml(part.text)}</section>`
    case "thinking":
      return `<details class="thinking"><summary>Thinking</summary><pre>${said(part.text)}</pre></details>`
    case "notice":
      return `<p class="notice">${said(part.text)}</p>`
    default:
      return callHtml(part)
  }
}

function callHtml(part: CallPart): string {
  const { style: resultStyle, text } = resultText(part)
  const body = resultStyle === "diff" ? text.split("\n").map(diffLine).join("") : said(text)
  // A difference is what one came to see; long output is there when it is asked for.
  const open = resultStyle === "diff" || part.outcome !== "done" ? " open" : ""
  const outcome = part.outcome === "done" ? "" : ` <em>${part.outcome}</em>`
  return `<details class="call ${part.outcome}"${open}><summary>${said(part.title)}${outcome}</summary><details><summary>input</summary><pre>${said(part.input)}</pre></details><pre class="${resultStyle}">${body}</pre></details>`
}

function diffLine(line: string): string {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "place" : ""
  return `<span${kind === "" ? "" : ` class="${kind}"`}>${said(line)}\n</span>`
}

const said = (text: string): string => escaped(stripControls(text))

const style = `
:root{--ink:#1c1e21;--paper:#fff;--soft:#f4f5f7;--line:#d9dce1;--dim:#5f6670;--add:#e3f6e5;--cut:#fde6e6;--mark:#0b57a4}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#15171a;--soft:#1f2226;--line:#363b42;--dim:#9aa3ad;--add:#173a20;--cut:#48201f;--mark:#7db7f0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0 0 .5rem}
h2{font-size:.8rem;margin:0 0 .3rem;color:var(--mark);text-transform:uppercase;letter-spacing:.05em}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0 0 1.5rem;color:var(--dim);font-size:.9rem}
dd{margin:0;overflow-wrap:anywhere}
section,details.call,details.thinking{margin:0 0 1rem}
.prompt{border-left:3px solid var(--mark);padding:.5rem .9rem;background:var(--soft)}
.prompt pre{background:none;border:0;padding:0;margin:0;font:inherit}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.6rem .8rem;font:13px/1.45 ui-monospace,monospace;margin:.4rem 0}
code{font:.9em ui-monospace,monospace;background:var(--soft);padding:.1em .25em;border-radius:3px}
pre code{background:none;padding:0}
summary{cursor:pointer;font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
.thinking,.notice{color:var(--dim)}
.call em{color:var(--mark)}
.diff span{display:block;min-height:1.45em}
.added{background:var(--add)}
.removed{background:var(--cut)}
.place{color:var(--dim)}
.notice{border-top:1px dashed var(--line);padding-top:.4rem;font-size:.9rem;white-space:pre-wrap}
table{border-collapse:collapse}
td,th{border:1px solid var(--line);padding:.2rem .5rem}
blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line);color:var(--dim)}
a{color:var(--mark)}
`
