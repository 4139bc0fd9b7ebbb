/** Finds a session or a screen by what is typed. */

import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import { get } from "#faces/web/page/api.ts"
import type { SessionPage, SignedIn } from "#faces/web/page/contract.ts"
import { type PageRoute, toReview, toSession } from "#faces/web/page/route.ts"
import { queryOf, toSessions } from "./session-filter.ts"
import { stageWords } from "#faces/web/page/words.ts"

interface PaletteEntry {
  readonly to: string
  readonly name: string
  readonly about: string
}

const screens: readonly (PaletteEntry & { readonly needsAdmin?: boolean })[] = [
  { to: "#/", name: "Inbox", about: "Screen" },
  { to: "#/sessions", name: "Sessions", about: "Screen" },
  { to: "#/new", name: "New session", about: "Screen" },
  { to: "#/workers", name: "Workers", about: "Screen" },
  { to: "#/usage", name: "Usage", about: "Screen" },
  { to: "#/notifications", name: "Notifications", about: "Screen" },
  { to: "#/audit", name: "Audit", about: "Screen", needsAdmin: true },
]

interface PaletteProps {
  readonly route: PageRoute
  readonly me: SignedIn | undefined
  readonly onClose: () => void
}

const pauseMs = 120
const againMs = 1_000

export function Palette({ route, me, onClose }: PaletteProps): ReactNode {
  const [text, setText] = useState("")
  const [nth, setNth] = useState(0)
  const found = useSessions(text)
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const own: readonly PaletteEntry[] =
    "id" in route
      ? [
          { to: toSession(route.id), name: "Conversation of this session", about: "Session" },
          { to: toReview(route.id), name: "Changes of this session", about: "Session" },
        ]
      : []
  const wanted = text.trim().toLowerCase()
  const places = [...own, ...screens.filter(({ needsAdmin }) => !needsAdmin || me?.role === "admin")]
  const search: readonly PaletteEntry[] =
    wanted === ""
      ? []
      : [{ to: toSessions({ search: text.trim() }), name: `Search for “${text.trim()}”`, about: "Sessions" }]
  const targets = [...places.filter(({ name }) => name.toLowerCase().includes(wanted)), ...found, ...search]
  const chosen = Math.min(nth, targets.length - 1)
  const open = (target: PaletteEntry | undefined): void => {
    if (!target) return
    onClose()
    location.hash = target.to
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Find" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Find a session or a screen"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={`${listId}-${chosen}`}
        placeholder="Find a session or a screen"
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setNth(0)
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
          if (step !== 0) setNth(Math.max(0, Math.min(targets.length - 1, chosen + step)))
          else if (event.key === "Enter") open(targets[chosen])
          else return
          event.preventDefault()
        }}
      />
      <ul id={listId} role="listbox" aria-label="Found">
        {targets.map((target, at) => (
          <li
            key={`${target.to} ${target.name}`}
            id={`${listId}-${at}`}
            role="option"
            aria-selected={at === chosen}
            onPointerMove={() => setNth(at)}
            onClick={() => open(target)}
          >
            <span>{forConsent(target.name)}</span>
            <span className="dim">{target.about}</span>
          </li>
        ))}
      </ul>
    </dialog>
  )
}

/** The newest without words, and those that have them with. */
function useSessions(text: string): readonly PaletteEntry[] {
  const [found, setFound] = useState<readonly PaletteEntry[]>([])
  useEffect(() => {
    const ending = new AbortController()
    const search = text.trim()
    void searchSessions(ending.signal)
    return () => ending.abort()

    async function searchSessions(signal: AbortSignal): Promise<void> {
      if (search !== "") await systemClock.sleep(pauseMs, signal)
      if (signal.aborted) return
      const page = await get<SessionPage>(`/api/sessions?limit=8&${queryOf(search === "" ? {} : { search })}`, signal)
      if (signal.aborted) return
      // Perhaps the server is busy: whoever typed is still waiting.
      if (!page.ok) return systemClock.sleep(againMs, signal).then(() => searchSessions(signal))
      const words = search.toLowerCase().split(/\s+/)
      // Whoever looks for a session by name sees it above those that only mention it.
      const isNamed = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word))
      setFound(
        page.value.sessions
          .map(({ id, title, stage }) => ({ to: toSession(id), name: title, about: stageWords[stage].name }))
          .toSorted((a, b) => Number(isNamed(b.name)) - Number(isNamed(a.name))),
      )
    }
  }, [text])
  return found
}
