/** The parts of a command's text: what is said, and what is run first so that its output can be said. */

export type BodyPart =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "run"; readonly command: string }

/** `` !`command` `` after a space or at the beginning of a line, or a fence that is marked with an exclamation mark. */
const runs = /(?<=^|\s)!`([^`\n]+)`|^```!(?:[ \t]*\w+)?[ \t]*\r?\n([\s\S]*?)\r?\n```[ \t]*$/gm

/** Split before anything is put into it: what a person types behind a command never becomes one. */
export function partsOfBody(body: string): readonly BodyPart[] {
  const parts: BodyPart[] = []
  let end = 0
  for (const match of body.matchAll(runs)) {
    const command = (match[1] ?? match[2] ?? "").trim()
    if (command === "") continue
    parts.push({ kind: "text", text: body.slice(end, match.index) }, { kind: "run", command })
    end = match.index + match[0].length
  }
  return [...parts, { kind: "text", text: body.slice(end) } as const].filter(
    (part) => part.kind === "run" || part.text !== "",
  )
}
