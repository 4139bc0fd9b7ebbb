/** What to do without a valid sign-in. */

import { type ReactNode, useEffect, useState } from "react"
import { get, post } from "./api.ts"
import { Problem } from "./loading.tsx"

export function SignedOut({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  const [token, setToken] = useState("")
  const [problem, setProblem] = useState("")
  const [provider, setProvider] = useState<string>()
  useEffect(() => {
    const gone = new AbortController()
    void get<{ readonly openId?: { readonly title: string } }>("/api/sign-in", gone.signal).then((ways) => {
      if (ways.ok) setProvider(ways.value.openId?.title)
    })
    return () => gone.abort()
  }, [])
  const signIn = async (): Promise<void> => {
    const signed = await post<void>("/api/sign-in", { token: token.trim() })
    if (signed.ok) return onSignedIn()
    setProblem(
      signed.failure.kind === "signed_out"
        ? "This token is not valid, or it has expired. Ask an admin for a new one."
        : signed.failure.kind === "offline"
          ? "The server cannot be reached. Is codewright serve still running?"
          : signed.failure.message,
    )
  }
  return (
    <main className="signed-out">
      <h1>Sign in to Codewright</h1>
      {provider === undefined ? (
        <p>
          Open the sign-in link that <code>codewright serve</code> prints when it starts. It works once, for ten
          minutes.
        </p>
      ) : (
        <p>
          <a className="button primary" href="/sign-in/openid">
            Sign in with {provider}
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void signIn()
        }}
      >
        <label htmlFor="token">Or sign in with your token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <Problem text={problem} />
        <button type="submit" className="primary" disabled={token.trim() === ""}>
          Sign in
        </button>
      </form>
    </main>
  )
}
