/** The panel of all sessions of the user: open one, answer its question, stop, resume or remove it, or follow its log. */

import type { Answer, Question } from "#agent/words/question.ts"
import { openDialog, shownOf } from "#faces/tui/dialogs/dialog.ts"
import { dim } from "#faces/tui/screen/style.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import { stateWords } from "#faces/view/listed-state.ts"
import { ageText } from "#lib/age.ts"
import { costText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { Result } from "#lib/result.ts"
import type {
  ListDefinition,
  PanelDefinition,
  PanelKey,
  PanelOutcome,
  PanelRow,
  Preview,
  TextDefinition,
} from "./panel.ts"
import { textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"
import type { RunningPort, RunningRow } from "./running-port.ts"

export function runningPanel<T>(parts: {
  readonly port: RunningPort
  readonly now: () => number
  readonly open: (id: string) => PanelOutcome<T>
}): ListDefinition<T> {
  const { port, now, open } = parts
  const find = async (key: string): Promise<RunningRow | undefined> => (await port.list()).find(({ id }) => id === key)
  return {
    kind: "list",
    title: "Sessions",
    empty: 'No sessions. Start one in the background: codewright --bg "your task"',
    search: "none",
    enterLabel: "open",
    keys: keysOf(port, find),
    watch: port.watch,
    load: async () =>
      (await port.list()).map((row, at) => ({ ...rowOf(row, now()), ...(at === 0 && { starts: true }) })),
    async preview({ key }) {
      const row = await find(key)
      const [question] = row?.questions ?? []
      return question
        ? drawQuestion(question, now())
        : (columns) => (row ? [dim(fitted(forConsent(row.last), columns))] : [])
    },
    async choose({ key }) {
      const row = await find(key)
      return row?.isCurrent ? { kind: "stays", note: "This is the session you are in." } : open(key)
    },
  }
}

function rowOf({ id, name, state, place, costUsd, changedAt, isCurrent }: RunningRow, now: number): PanelRow {
  const facts = [place, ...(costUsd > 0 ? [costText(costUsd)] : []), ageText(Math.max(0, now - changedAt))]
  return {
    key: id,
    text: forConsent(name),
    facts: forConsent(facts.join(" · ")),
    group: stateWords[state],
    ...(isCurrent && { mark: "current" }),
  }
}

type FindRow = (key: string) => Promise<RunningRow | undefined>

function keysOf<T>(port: RunningPort, find: FindRow): readonly PanelKey<T>[] {
  const acts = (
    name: string,
    about: string,
    act: (id: string) => Promise<Result<void, string>>,
    done: string,
  ): PanelKey<T> => ({
    name,
    about,
    of: "row",
    async run(row) {
      const result = row ? await act(row.key) : undefined
      return result ? { kind: "stays", note: result.ok ? done : result.failure } : { kind: "stays" }
    },
  })
  return [
    {
      name: "a",
      about: "answer",
      of: "row",
      async run(row) {
        const found = row && (await find(row.key))
        const [question] = found?.questions ?? []
        if (!found || !question) return { kind: "stays", note: "It asks nothing." }
        const panel = answerPanel<T>(port, found.id, question)
        return panel ? { kind: "opens", panel } : { kind: "stays", note: "Press Enter to open it and answer there." }
      },
    },
    {
      name: "l",
      about: "see the log",
      of: "row",
      run: async (row) => (row ? { kind: "opens", panel: logPanel(port, row) } : { kind: "stays" }),
    },
    acts("x", "stop", port.stop, "Stopped."),
    acts("r", "resume", port.resume, "Resumed."),
    acts("d", "remove", port.remove, "Removed from the list."),
  ]
}

const logPanel = <T>(port: RunningPort, { key, text }: PanelRow): TextDefinition<T> => ({
  kind: "text",
  title: text,
  begins: "end",
  watch: port.watch,
  async load() {
    const log = await port.log(key)
    return { draw: drawnOnce(textRows("Log", log.ok ? log.value : log.failure)), keys: [] }
  },
})

/** Undefined for what is answered in the session itself. */
function answerPanel<T>(port: RunningPort, id: string, question: Question): PanelDefinition<T> | undefined {
  const choices = choicesFor(question)
  if (choices.length === 0) return undefined
  const drafts = new Map<string, string>()
  const sendAnswer = async (answer: Answer): Promise<PanelOutcome<T>> => {
    const sent = await port.answer(id, question, answer)
    return { kind: "goes back", to: "first", note: sent.ok ? "Answered." : sent.failure }
  }
  const writing = ({ text: title, withWords }: AnswerChoice): PanelOutcome<T> =>
    withWords
      ? {
          kind: "opens",
          panel: {
            kind: "line",
            title: title === differently ? "What should the model do differently?" : `${title}, and tell the model:`,
            text: drafts.get(title) ?? "",
            shown: "text",
            enterLabel: "send",
            submit: (words) => sendAnswer(withWords(words)),
            left: (words) => void drafts.set(title, words),
          },
        }
      : { kind: "stays" }
  const chosen = (row: PanelRow | undefined): AnswerChoice | undefined => choices.find(({ text }) => text === row?.key)
  return {
    kind: "list",
    title: "Answer",
    empty: "",
    search: "none",
    scrolls: "preview",
    enterLabel: "confirm",
    leaves: "go back",
    load: async () => choices.map(({ text }) => ({ key: text, text })),
    preview: async () => drawQuestion(question, 0),
    async choose(row) {
      const choice = chosen(row)
      if (!choice) return { kind: "stays" }
      return choice.answer ? sendAnswer(choice.answer) : writing(choice)
    },
    ...(choices.some(({ withWords }) => withWords) && {
      keys: [
        {
          name: "tab",
          about: "add instructions",
          of: "row",
          async run(row) {
            const choice = chosen(row)
            return choice ? writing(choice) : { kind: "stays" }
          },
        },
      ],
    }),
  }
}

interface AnswerChoice {
  readonly text: string
  /** Absent if it needs words. */
  readonly answer?: Answer
  /** Absent if it takes none. */
  readonly withWords?: (words: string) => Answer
}

const differently = "No, tell the model what to do differently"
const no: AnswerChoice = { text: differently, withWords: (words) => ({ kind: "deny", interrupt: false, words }) }

function choicesFor({ ask }: Question): readonly AnswerChoice[] {
  switch (ask.kind) {
    case "permission":
      return [choiceOf("Yes", { kind: "allow" }), choiceOf("No, and stop", { kind: "deny", interrupt: true }), no]
    case "plan": {
      const [mode] = ask.modes
      return [...(mode ? [choiceOf("Yes", { kind: "approve", mode, wishes: [] })] : []), no]
    }
    case "choice": {
      const [only, ...more] = ask.questions
      if (!only || more.length > 0 || only.multiSelect) return []
      const said = (answer: string): Answer => ({ kind: "choices", answers: { [only.question]: answer } })
      return only.options.map(({ label }) => ({
        text: label,
        answer: said(label),
        ...(only.takes === undefined && { withWords: (words: string) => said(`${label}, ${words}`) }),
      }))
    }
    case "elicitation":
      return []
  }
}

const choiceOf = (text: string, answer: Answer & { readonly words?: string }): AnswerChoice => ({
  text,
  answer,
  withWords: (words) => ({ ...answer, words }),
})

/** As its own dialog would show it: whoever answers has seen all of it. */
const drawQuestion =
  (question: Question, now: number): Preview =>
  (columns) => {
    const {
      question: head,
      thing,
      details = [],
      notes,
    } = shownOf(openDialog(question, now, (path) => path).state, columns)
    return [...head, ...thing, ...details, ...notes]
  }
