/** The parts of a command's text: literal text, and shell commands whose output is inserted. */

export type BodyPart =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "run"; readonly command: string }

/** `` !`command` `` after a space or at the start of a line, or a fence marked with an exclamation mark. */
const runs = /(?<=^|\s)!`([^`\n]+)`|^```!(?:[ \t]*\w+)?[ \t]*\r?\n([\s\S]*?)\r?\n```[ \t]*$/gm

/** Split before arguments are inserted: what a user types after a command never becomes shell. */
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
