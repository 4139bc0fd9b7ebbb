/** The frame around every screen: where one can go, who one is, and whether the server is there. */

import { Component, type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { systemClock } from "#lib/clock.ts"
import type { ApiFailure } from "./api.ts"
import { ChangesContext, useChanges } from "./changes.ts"
import type { Inbox, SignedIn } from "./contract.ts"
import { Help } from "./help.tsx"
import { InboxScreen } from "./inbox-screen.tsx"
import { useKeys } from "./keys.ts"
import { later } from "./later.tsx"
import { closeDecided } from "./notify/installed.ts"
import { Nav } from "./nav.tsx"
import { type Polled, usePolled } from "./polled.ts"
import { type PageRoute, routeOf } from "./route.ts"
import { SessionScreen } from "./session-screen.tsx"
import { SessionsScreen } from "./lists/sessions-screen.tsx"
import { SignedOut } from "./signed-out.tsx"
import { useTheme } from "./theme.ts"

// Files of their own: few open these first. See decision 180.
const AuditScreen = later(async () => (await import("./lists/audit-screen.tsx")).AuditScreen)
const DecideScreen = later(async () => (await import("./notify/decide-screen.tsx")).DecideScreen)
const NewScreen = later(async () => (await import("./start/new-screen.tsx")).NewScreen)
const NotificationsScreen = later(async () => (await import("./notify/notifications-screen.tsx")).NotificationsScreen)
const Palette = later(async () => (await import("./lists/palette.tsx")).Palette)
const ReviewScreen = later(async () => (await import("./review/review-screen.tsx")).ReviewScreen)
const SharedScreen = later(async () => (await import("./shared-screen.tsx")).SharedScreen)
const TeamScreen = later(async () => (await import("./team-screen.tsx")).TeamScreen)
const UsageScreen = later(async () => (await import("./lists/usage-screen.tsx")).UsageScreen)
const WorkersScreen = later(async () => (await import("./lists/workers-screen.tsx")).WorkersScreen)

/** While nobody waits for it, so that what is opened next is there, also after the server was replaced by a newer one. */
const loadScreens = (): void => {
  for (const { load } of [
    NewScreen,
    ReviewScreen,
    Palette,
    TeamScreen,
    UsageScreen,
    NotificationsScreen,
    WorkersScreen,
    AuditScreen,
    SharedScreen,
  ])
    load()
}

/** How often the inbox is asked for, and for how many. Others follow as these are decided. */
const [inboxMs, inboxItems] = [3_000, 100]

export function App(): ReactNode {
  const route = useRoute()
  // Whoever has such a link need not be able to sign in here.
  return route.screen === "decide" ? <DecideScreen link={route.link} /> : <Frame route={route} />
}

function Frame({ route }: { readonly route: FrameRoute }): ReactNode {
  const [theme, setTheme] = useTheme()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const me = usePolled<SignedIn>("/api/me", { everyMs: 60_000 })
  const changes = useChanges(me.value !== undefined && me.failure === undefined)
  const inbox = usePolled<Inbox>(`/api/approvals?state=open&limit=${inboxItems}`, {
    everyMs: inboxMs,
    on: ["approvals"],
    changes,
    inBackground: true,
  })
  const isOnline = useOnline()
  const main = useRef<HTMLElement>(null)
  // The same one at every change: between two keys of one shortcut, anything may change.
  const openHelp = useCallback(() => setHelpOpen(true), [])
  const openPalette = useCallback(() => setPaletteOpen(true), [])
  useKeys(openHelp, openPalette)
  const isSignedIn = me.value !== undefined
  useEffect(() => {
    if (isSignedIn) return whenIdle(loadScreens)
    return undefined
  }, [isSignedIn])
  const [name, setName] = useState("")
  useEffect(() => {
    setHelpOpen(false)
    setPaletteOpen(false)
    scrollTo(0, 0)
    if (!("id" in route)) setName("")
  }, [route])
  useEffect(() => {
    if (inbox.value) void closeDecided(inbox.value)
  }, [inbox.value])
  const waiting = inbox.value?.total
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${name || titles[route.screen]} · Codewright`
  }, [waiting, name, route.screen])
  const failure = inbox.failure ?? me.failure
  if (failure?.kind === "signed_out") return <SignedOut onSignedIn={() => (inbox.refresh(), me.refresh())} />
  return (
    <div className="app">
      <Nav
        route={route}
        waiting={waiting}
        onSkip={() => main.current?.focus()}
        me={me.value}
        theme={theme}
        onTheme={setTheme}
        onHelp={openHelp}
        onPalette={openPalette}
        onSignedOut={() => (inbox.refresh(), me.refresh())}
      />
      <main id="main" ref={main} tabIndex={-1}>
        <Trouble isOnline={isOnline} failure={failure} />
        <Shield key={routeKey(route)}>
          <ChangesContext value={changes}>
            <Screen route={route} inbox={inbox} me={me.value} onName={setName} />
          </ChangesContext>
        </Shield>
      </main>
      {isPaletteOpen && <Palette route={route} me={me.value} onClose={() => setPaletteOpen(false)} />}
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

type FrameRoute = Exclude<PageRoute, { readonly screen: "decide" }>

const titles: { readonly [screen in FrameRoute["screen"]]: string } = {
  inbox: "Inbox",
  sessions: "Sessions",
  session: "Session",
  team: "Team",
  review: "Changes",
  new: "New session",
  workers: "Workers",
  usage: "Usage",
  shared: "Shared session",
  audit: "Audit",
  notifications: "Notifications",
  missing: "Not found",
}

const routeKey = (route: PageRoute): string => ("id" in route ? `${route.screen} ${route.id}` : route.screen)

interface ScreenProps {
  readonly route: FrameRoute
  readonly inbox: Polled<Inbox>
  readonly me: SignedIn | undefined
  /** What the tab is called, where that is not the name of the screen. */
  readonly onName: (name: string) => void
}

function Screen({ route, inbox, me, onName }: ScreenProps): ReactNode {
  switch (route.screen) {
    case "inbox":
      return <InboxScreen inbox={inbox} me={me} />
    case "sessions":
      return <SessionsScreen filter={route.filter} />
    case "session":
      return <SessionScreen id={route.id} me={me} onChange={inbox.refresh} onName={onName} />
    case "team":
      return <TeamScreen id={route.id} onName={onName} />
    case "review":
      return <ReviewScreen id={route.id} me={me} onName={onName} />
    case "new":
      return <NewScreen me={me} />
    case "shared":
      return <SharedScreen link={route.link} />
    case "usage":
      return <UsageScreen />
    case "workers":
      return <WorkersScreen />
    case "audit":
      return <AuditScreen />
    case "notifications":
      return <NotificationsScreen me={me} />
    case "missing":
      return (
        <div className="empty">
          <h1>Nothing here</h1>
          <p>
            This address has no screen. Go to the <a href="#/">inbox</a>.
          </p>
        </div>
      )
  }
}

function Trouble({
  isOnline,
  failure,
}: {
  readonly isOnline: boolean
  readonly failure: ApiFailure | undefined
}): ReactNode {
  // A server on this machine answers without any network, so what the browser says is not enough.
  const text =
    failure?.kind === "offline"
      ? isOnline
        ? "The server cannot be reached. Is codewright serve still running? Trying again."
        : "Offline. What you see may be out of date; the page reconnects by itself."
      : failure?.kind === "refused"
        ? failure.message
        : ""
  return (
    <div role="status" className={text === "" ? "hidden" : "banner"}>
      {text}
    </div>
  )
}

/** A mistake of ours in one screen leaves the others alone. */
class Shield extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true }
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="empty">
        <h1>This screen failed</h1>
        <p>Something here could not be shown. Reload the page, or go to another screen.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
}

function useRoute(): PageRoute {
  const hash = useSyncExternalStore(
    (changed) => {
      addEventListener("hashchange", changed)
      return () => removeEventListener("hashchange", changed)
    },
    () => location.hash,
  )
  const [known, setKnown] = useState({ hash, route: routeOf(hash) })
  if (known.hash === hash) return known.route
  const route = routeOf(hash)
  setKnown({ hash, route })
  return route
}

/** Returns how to leave it; browsers that do not say when they are idle wait a moment. */
function whenIdle(act: () => void): () => void {
  if (!("requestIdleCallback" in globalThis)) return systemClock.after(2_000, act)
  const asked = requestIdleCallback(act, { timeout: 10_000 })
  return () => cancelIdleCallback(asked)
}

const useOnline = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed)
      addEventListener("offline", changed)
      return () => {
        removeEventListener("online", changed)
        removeEventListener("offline", changed)
      }
    },
    () => navigator.onLine,
  )
