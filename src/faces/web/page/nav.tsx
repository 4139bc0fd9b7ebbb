/** The way to the screens: at the side, or at the bottom of a phone. */

import { type ReactNode, useEffect, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { remove } from "./api.ts"
import type { SignedIn } from "./contract.ts"
import { forgetThisDevice } from "./notify/installed.ts"
import type { PageRoute } from "./route.ts"
import { type Theme, themes } from "./theme.ts"

interface NavProps {
  readonly route: PageRoute
  readonly waiting: number | undefined
  readonly me: SignedIn | undefined
  readonly theme: Theme
  /** To the content, past everything here. */
  readonly onSkip: () => void
  readonly onTheme: (theme: Theme) => void
  readonly onHelp: () => void
  readonly onPalette: () => void
  readonly onSignedOut: () => void
}

interface Place {
  readonly to: string
  readonly name: string
  readonly screens: readonly PageRoute["screen"][]
  readonly icon: string
  readonly needsAdmin?: boolean
  /** On a phone it is under More. */
  readonly isRare?: boolean
}

const places: readonly Place[] = [
  { to: "#/", name: "Inbox", screens: ["inbox"], icon: "M3 13l3-8h12l3 8v6H3zM3 13h5l1 3h6l1-3h5" },
  {
    to: "#/sessions",
    name: "Sessions",
    screens: ["sessions", "session", "team", "review"],
    icon: "M4 6h16M4 12h16M4 18h10",
  },
  { to: "#/new", name: "New session", screens: ["new"], icon: "M12 5v14M5 12h14" },
  { to: "#/workers", name: "Workers", screens: ["workers"], icon: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01" },
  { to: "#/usage", name: "Usage", screens: ["usage"], icon: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6", isRare: true },
  {
    to: "#/notifications",
    name: "Notifications",
    screens: ["notifications"],
    icon: "M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4",
    isRare: true,
  },
  {
    to: "#/audit",
    name: "Audit",
    screens: ["audit"],
    icon: "M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4",
    needsAdmin: true,
    isRare: true,
  },
]

export function Nav({
  route,
  waiting,
  me,
  theme,
  onSkip,
  onTheme,
  onHelp,
  onPalette,
  onSignedOut,
}: NavProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [route])
  return (
    <nav aria-label="Main" className={isOpen ? "open" : ""}>
      {/* The address says which screen is shown, so it does not change. */}
      <a className="skip" href="#main" onClick={(event) => (event.preventDefault(), onSkip())}>
        Skip to content
      </a>
      <p className="brand">
        <svg viewBox="0 0 32 32" className="mark" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M13 10 7 16l6 6M19 10l6 6-6 6" />
        </svg>
        Codewright
      </p>
      <button type="button" className="find" onClick={onPalette} aria-keyshortcuts="Control+K Meta+K">
        Find <kbd>Ctrl K</kbd>
      </button>
      <ul>
        {places
          .filter(({ needsAdmin }) => !needsAdmin || me?.role === "admin")
          .map(({ to, name, screens, icon, isRare }) => (
            <li key={to} className={isRare ? "rare" : ""}>
              <a href={to} aria-current={screens.includes(route.screen) ? "page" : undefined}>
                <Icon path={icon} />
                <span className="name">{name}</span>
                {name === "Inbox" && waiting !== undefined && waiting > 0 && (
                  <span className="count" aria-label={`${waiting} waiting`}>
                    {waiting > 99 ? "99+" : waiting}
                  </span>
                )}
              </a>
            </li>
          ))}
        <li className="only-phone">
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon path="M5 12h.01M12 12h.01M19 12h.01" />
            <span className="name">More</span>
          </button>
        </li>
      </ul>
      <div className="foot">
        {me && (
          <p className="me">
            {forConsent(me.name)} {me.name !== me.role && <span className="dim">{me.role}</span>}
          </p>
        )}
        <label>
          <span className="hidden">Theme</span>
          <select
            value={theme}
            onChange={({ target }) => onTheme(themes.find((each) => each === target.value) ?? "system")}
          >
            <option value="system">System theme</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <button type="button" className="quiet" onClick={onHelp} aria-keyshortcuts="?">
          Shortcuts <kbd>?</kbd>
        </button>
        <button type="button" className="quiet" onClick={() => void signOut().then(onSignedOut)}>
          Sign out
        </button>
      </div>
    </nav>
  )
}

/** Whoever uses this browser next is not told of what waits for somebody else. */
async function signOut(): Promise<void> {
  await forgetThisDevice().catch(() => undefined)
  await remove("/api/sign-in")
}

const Icon = ({ path }: { readonly path: string }): ReactNode => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
)
