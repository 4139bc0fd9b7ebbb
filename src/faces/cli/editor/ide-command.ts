/** `/ide`: the editors that have this folder open, the one that is connected, and what it can be asked for. */

import { resolve } from "node:path"
import type { FoundEditor } from "#ground/editors/lock-files.ts"
import { forConsent } from "#lib/printable.ts"
import { shortPath, tilde } from "#lib/tilde.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import type { EditorLink } from "./editor-link.ts"
import { statusWords } from "./status-words.ts"

export async function ideAnswer(words: string, { setting, session, editor }: ProgramParts): Promise<SlashAnswer> {
  if (!editor) return refused("/ide is available in conversations in the terminal.")
  const link = await editor.link()
  const [verb = "", ...rest] = words.trim().split(/\s+/)
  const place = { cwd: setting.cwd, home: setting.home }
  if (words.trim() === "") return list(link, place)
  if (verb === "off" || verb === "disconnect") {
    const last = link.disconnect()
    return last ? said(`Disconnected from ${nameOf(last)}.`) : refused("No editor is connected.")
  }
  if (verb === "open") {
    const { cwd } = await session.ask({ type: "state" })
    return open(link, words.trim().slice(verb.length).trim(), { ...place, cwd })
  }
  return connect(link, [verb, ...rest].join(" "))
}

interface ShortFrom {
  readonly cwd: string
  readonly home: string
}

function list(link: EditorLink, { cwd, home }: ShortFrom): SlashAnswer {
  const connected = link.connected()
  const found = link.found()
  const elsewhere = link.all().filter(({ port }) => !found.some((one) => one.port === port))
  const row = (editor: FoundEditor, mark: string): string =>
    `${mark} ${nameOf(editor)}  ${editor.folders.map((folder) => forConsent(tilde(folder, home))).join(", ")}`
  const here = found.map(
    (editor, i) => `${row(editor, `${i + 1}.`)}${editor.port === connected?.port ? "  connected" : ""}`,
  )
  const lines = [
    ...(connected
      ? [`Connected to ${nameOf(connected)}. ${statusLine(link, { cwd, home })}`]
      : ["No editor is connected."]),
    ...(here.length > 0 ? ["", "Editors that have this folder open:", ...here] : []),
    ...(elsewhere.length > 0 ? ["", "Editors in other folders:", ...elsewhere.map((editor) => row(editor, "-"))] : []),
    "",
    ...(here.length === 0 && !connected
      ? [
          "Open this folder in an editor with a Claude Code extension (VS Code, JetBrains, Neovim), then type /ide again.",
        ]
      : ["/ide <number> to connect · /ide open <file> to open a file there · /ide off to disconnect"]),
  ]
  return { ...said(lines.join("\n")), choices: found.map(({ port }) => String(port)) }
}

function statusLine(link: EditorLink, place: ShortFrom): string {
  const selection = link.selection()
  return selection ? `${statusWords(selection, (path) => shortPath(path, place))}.` : "No file is open there."
}

/** By number in the list, port or name. */
async function connect(link: EditorLink, words: string): Promise<SlashAnswer> {
  const all = link.all()
  const byPort = all.filter(({ port }) => String(port) === words)
  const byName = all.filter(({ name }) => name.toLowerCase() === words.toLowerCase())
  const here = byName.filter((editor) => link.found().some(({ port }) => port === editor.port))
  const [editor, ...more] = byPort.length > 0 ? byPort : here.length > 0 ? here : byName
  if (!editor) return refused(`No editor ${forConsent(words)} is running. /ide lists the editors.`)
  if (more.length > 0) return refused(`Several editors are called ${nameOf(editor)}. Choose one by its number: /ide`)
  const connected = await link.connect(editor)
  return connected.ok
    ? said(`Connected to ${nameOf(editor)}. What you select there is shown to the model.`)
    : refused(`Cannot connect to ${nameOf(editor)}: ${forConsent(connected.failure)}.`)
}

async function open(link: EditorLink, words: string, { cwd, home }: ShortFrom): Promise<SlashAnswer> {
  const editor = link.connected()
  if (!editor) return refused("No editor is connected. /ide lists the editors.")
  if (words === "") return refused("Name the file: /ide open <file>")
  const path = resolve(cwd, words.replace(/^~(?=\/)/, home))
  const opened = await link.ask("openFile", { filePath: path, preview: false, makeFrontmost: true })
  return opened.ok
    ? said(`Opened ${forConsent(shortPath(path, { cwd, home }))} in ${nameOf(editor)}.`)
    : refused(`${nameOf(editor)} did not open ${forConsent(words)}: ${forConsent(opened.failure)}.`)
}

const nameOf = ({ name }: FoundEditor): string => forConsent(name)
