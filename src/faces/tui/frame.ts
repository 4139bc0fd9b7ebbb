/** The live rows: what is still open, what is asked or written, and the line below. Pure: a state and a size give a frame. */

import { goalStatus } from "#agent/words/goal-words.ts"
import { intervalText } from "#agent/words/loop.ts"
import type { Item } from "#faces/view/item.ts"
import { isBusy } from "#faces/view/view.ts"
import { permissionChoices } from "#faces/view/consent.ts"
import type { Dialog } from "./dialogs/dialog.ts"
import { dialogLayout } from "./dialogs/layout.ts"
import { type History, searchAll } from "./editor/history.ts"
import { selectionOf } from "./editor/vim-visual.ts"
import { panelHint, panelRows } from "./panels/draw.ts"
import { isOverQuestions, type PanelState } from "./panels/panel.ts"
import { panelSize } from "./panels/place.ts"
import { shownExamples } from "./examples.ts"
import { agentRows } from "./parts/beside-agents.ts"
import { choiceRows, type ChoicesRoom } from "./parts/choices.ts"
import { todoRows } from "./parts/display.ts"
import { editorRows, lineMarks, placeholder } from "./parts/editor.ts"
import { framed } from "./framed.ts"
import { helpRows } from "./parts/help.ts"
import { itemsRows } from "./parts/items.ts"
import { hasSide, sideGap, sideRows, sideWidth, withSide } from "./parts/side-column.ts"
import { fullRows, queueRows, spinnerRows, statusRow } from "./parts/status.ts"
import { teamRows } from "./parts/team.ts"
import { backgroundHint, foldedFor, keyHint, modeTip } from "./hints.ts"
import type { Frame, Size } from "./screen/screen.ts"
import { dim } from "./screen/style.ts"
import { fitted } from "./screen/width.ts"
import type { Completion, Status, TuiState } from "./state.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"

interface Live extends Omit<Frame, "above"> {
  readonly promptColumns: number
}

/** The conversation keeps at least this many rows. */
const leastRoom = 4
const mostTodos = 8

/** A panel replaces the prompt; a question replaces both, unless the panel is about quitting. */
export function liveFrame<T>(state: TuiState, status: Status, size: Size, now: number, panel?: PanelState<T>): Live {
  // One row stays free, so that the top of the live rows can always be reached.
  const height = Math.max(4, size.rows - 1)
  const side = !panel && hasSide(state, size) ? sideRows(state, status, size, now) : []
  const inner = side.length === 0 ? size : { ...size, columns: size.columns - sideWidth(size) - sideGap }
  const bottom =
    state.dialog && !isOverQuestions(panel)
      ? dialogBottom(state, size)
      : panel
        ? panelBottom(panel, size)
        : promptBottom(state, side.length === 0 ? status : { ...status, agents: [] }, inner, now)
  const shows = around(state, status, { panel: panel !== undefined, side: side.length > 0 })
  const middle = middleRows(shows.state, shows.status, inner, now).slice(
    0,
    Math.max(0, height - bottom.rows.length - leastRoom),
  )
  const band = withSide([...middle, ...bottom.rows], side, inner.columns).slice(-height)
  const room = Math.max(0, height - band.length)
  const items = state.view.items.filter((item) => !isAskedAbout(item, state))
  const open = [...itemsRows(items, size.columns, foldedFor(state), status.session.cwd), ...backgroundHint(state, size)]
  const rows = [...(room === 0 ? [] : open.slice(-room)), ...band]
  const cursor = bottom.cursor && {
    row: Math.max(0, rows.length - bottom.rows.length + bottom.cursor.row),
    column: bottom.cursor.column,
  }
  return { live: rows, cursor, promptColumns: inner.columns }
}

/** What is shown elsewhere is left out here: a panel may be about the team, and the column has the list of work. */
const around = (
  state: TuiState,
  status: Status,
  has: { readonly panel: boolean; readonly side: boolean },
): { readonly state: TuiState; readonly status: Status } => ({
  state: { ...state, ...(has.panel && { examples: [] }), ...(has.side && { todos: "hidden" }) },
  status: has.panel ? { ...status, team: null } : status,
})

/** Its dialog shows the call. */
function isAskedAbout(item: Item, { dialog, view }: TuiState): boolean {
  const asked = view.questions.find(({ id }) => id === dialog?.questionId)?.ask
  return asked?.kind === "permission" && item.kind === "call" && item.callId === asked.callId
}

function middleRows(state: TuiState, status: Status, { columns }: Size, now: number): string[] {
  const { view, todos, dialog, retryAt } = state
  const list = todos === "shown" ? todoList(view, columns) : []
  // While a person is asked, it is the user one waits for.
  const spinner = dialog ? [] : spinnerRows(view, retryAt, now, columns, status.verbs)
  const full = dialog || isBusy(view) ? [] : fullRows(status, columns)
  const examples = shownExamples(state, status).map((text, i) => exampleRow(text, i, columns))
  const team = teamRows(status.team ?? null, columns, now)
  return [
    ...spinner,
    ...list,
    ...team,
    ...queueRows(view.queue, columns),
    ...(full.length > 0 ? ["", ...full] : []),
    ...(examples.length > 0 ? ["", ...examples] : []),
  ]
}

const exampleRow = (text: string, index: number, columns: number): string =>
  fitted(dim(`  ${index === 0 ? "Try" : "   "}  ${forConsent(text)}${index === 0 ? "  (Tab to use)" : ""}`), columns)

/** Complete while there is work, afterwards only a count of what is left. */
function todoList(view: TuiState["view"], columns: number): string[] {
  const { todos, todosAre } = view
  if (todosAre === "old") return []
  const done = todos.filter(({ status }) => status === "completed").length
  if (done === todos.length) return []
  if (!isBusy(view)) return ["", dim(indent(`${done} of ${todos.length} tasks done`))]
  return [
    "",
    ...todoRows(todos, columns - 2)
      .slice(0, mostTodos)
      .map(indent),
  ]
}

const indent = (row: string): string => `  ${row}`

export interface Bottom {
  readonly rows: readonly string[]
  readonly cursor: Frame["cursor"]
}

function dialogBottom(state: TuiState, size: Size): Bottom {
  const { dialog, view, editor, hint } = state
  if (!dialog) return { rows: [], cursor: undefined }
  const beside = {
    waiting: view.questions.length - 1,
    draft: editor.buffer.text,
    ...optional("hint", hint),
    ...optional("tip", offersMode(dialog) ? undefined : modeTip(state)),
  }
  const { rows } = dialogLayout(dialog, size, beside)
  return { rows, cursor: undefined }
}

/** Shift+Tab is an answer there. */
const offersMode = ({ state }: Dialog): boolean =>
  state.kind !== "permission" || permissionChoices(state.ask).some(({ kind }) => kind === "mode")

export function panelBottom<T>(panel: PanelState<T>, size: Size): Bottom {
  const room = panelSize(size)
  const rows = panelRows(panel, room.columns, room.rows)
  return { rows: framed(rows, panelHint(panel), size.columns, size.rows - 1), cursor: undefined }
}

function promptBottom(state: TuiState, status: Status, size: Size, now: number): Bottom {
  const { columns } = size
  const most = Math.max(1, Math.floor(size.rows / 2) - 2)
  const { buffer, kind, vim } = state.editor
  const { rows, cursor } = editorRows(buffer, columns, most, lineMarks[kind], selectionOf(buffer, vim))
  const isEmpty = buffer.text === ""
  const prompt = isEmpty ? [fitted(placeholder(emptyWords(state), lineMarks[kind]), columns)] : rows
  const room = Math.max(0, size.rows - prompt.length - 4)
  const below = belowRows(state, columns, room).slice(0, room)
  const idle = [
    ...(vim ? [`${vim.mode} ${vim.pending}`.trim()] : []),
    ...(isEmpty ? ["? help"] : []),
    ...(isEmpty ? keyHint(state, "palette", "for all commands") : []),
  ]
  const right = state.hint ?? idle.join(" · ")
  return {
    rows: [
      "",
      ...prompt,
      ...below,
      ...(below.length === 0 ? agentRows(status.agents ?? [], columns, now) : []),
      ...customRows(status, columns),
      lastRow(state.hint, statusRow(status, forConsent(right), columns, standingWords(state.view)), columns),
    ],
    cursor: { row: 1 + cursor.row, column: cursor.column },
  }
}

const standingWords = (view: TuiState["view"]): readonly string[] => [
  ...(view.goal ? [goalStatus(view.goal, isBusy(view))] : []),
  ...(view.loop ? [`loop ${intervalText(view.loop.everyMs)}`] : []),
]

const customRows = ({ custom = [] }: Status, columns: number): readonly string[] =>
  custom.map((row) => fitted(row, columns))

/** A hint takes the row, if need be from everything else. */
const lastRow = (hint: string | undefined, row: string, columns: number): string =>
  hint === undefined || row.includes(forConsent(hint)) ? row : fitted(dim(`  ${forConsent(hint)}`), columns)

function emptyWords({ view, editor }: TuiState): string {
  switch (editor.kind) {
    case "shell":
      return "Shell command; the model sees its output with your next prompt"
    case "memory":
      return "Note to save to memory"
    case "prompt":
      if (isBusy(view)) return "Type to steer; sent at the next step"
      return view.suggestion === undefined
        ? "Ask anything · @ for files · / for commands"
        : `${forConsent(view.suggestion)} · Tab to use`
  }
}

function belowRows(
  { help, keymap, search: searching, editor, completion }: TuiState,
  columns: number,
  room: number,
): string[] {
  if (searching) return searchRows(searching, editor.history, columns)
  if (completion?.takes !== undefined) return [fitted(dim(`  ${forConsent(completion.takes)}`), columns)]
  if (completion) return choiceRows(completion.options, completion.at, columns, menuRoom(completion, room))
  return help === "shown" ? helpRows(columns, keymap) : []
}

/** Commands take the screen but for a few rows of the conversation; files, found while one types, take little. */
const menuRoom = ({ options }: Completion, room: number): ChoicesRoom =>
  options[0]?.text.startsWith("/") ? { most: Math.max(1, room - 1 - leastRoom) } : {}

function searchRows({ text, at }: NonNullable<TuiState["search"]>, history: History, columns: number): string[] {
  const found = searchAll(history, text)
  const head = fitted(
    `  ${dim("search:")} ${forConsent(text)}▏${found.length === 0 ? dim(" nothing found") : ""}`,
    columns,
  )
  const choices = found.map((entry) => ({ text: onOneLine(entry), about: "" }))
  const keys = "Enter or Tab to use · Ctrl+R for older · Esc to cancel"
  return [head, ...(found.length === 0 ? [] : choiceRows(choices, at, columns, { foot: keys }))]
}

const onOneLine = (entry: string): string => entry.split("\n").join(" ↵ ")
