/** Providers as panels see them: some that are ready, some that need a key, one that is not running. */

import type { ProviderRow, ProvidersPort } from "#faces/tui/panels/provider-panel-port.ts"
import { failed, ok } from "#lib/result.ts"

const rows: readonly ProviderRow[] = [
  {
    name: "anthropic",
    who: "Anthropic",
    state: "ready",
    about: "key in ANTHROPIC_API_KEY (…abcd)",
    takesKey: true,
    isSaved: false,
  },
  {
    name: "groq",
    who: "Groq",
    state: "ready",
    about: "key in ~/.codewright/key.json (…1234)",
    takesKey: true,
    isSaved: true,
  },
  {
    name: "ollama",
    who: "Ollama",
    state: "ready",
    about: "2 models at http://127.0.0.1:11434/v1",
    takesKey: false,
    isSaved: false,
  },
  {
    name: "openai",
    who: "OpenAI",
    state: "needs key",
    about: "set OPENAI_API_KEY, or paste a key",
    takesKey: true,
    isSaved: false,
  },
  {
    name: "openrouter",
    who: "OpenRouter",
    state: "needs key",
    about: "set OPENROUTER_API_KEY, paste a key, or sign in",
    takesKey: true,
    signsIn: true,
    isSaved: false,
  },
  {
    name: "lmstudio",
    who: "LM Studio",
    state: "not running",
    about: "no server at http://127.0.0.1:1234/v1",
    takesKey: false,
    isSaved: false,
  },
]

/** What is asked of it is told to `did`. */
export function somePort(did: (...what: readonly unknown[]) => void = () => {}): ProvidersPort {
  return {
    list: async () => rows,
    async keep(name, key, wish) {
      did("key", name, key, wish)
      if (key.includes("wrong")) return { kind: "rejected", message: "OpenAI rejected this key (401)." }
      if (key.includes("untested") && wish === "tested")
        return { kind: "untested", message: "OpenAI could not be reached: unknown host." }
      return { kind: "kept", message: "OpenAI accepted the key. Saved to ~/.codewright/key.json." }
    },
    async forget(name) {
      did("forget", name)
      return ok("Removed the key for Groq from ~/.codewright/key.json.")
    },
    models: async (name) =>
      name === "openai" ? failed("OpenAI could not be reached: unknown host.") : ok(["qwen3", "llama4"]),
    signIn: async (name) => ({
      url: "https://openrouter.ai/auth?callback_url=http%3A%2F%2Flocalhost%3A40000%2Fcallback%2F9c5b94b1&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
      how: "opened",
      came: (signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true })),
      async exchangeCode(pasted) {
        did("code", name, pasted)
        return { kind: "kept", message: "OpenRouter accepted the key. Saved to ~/.codewright/key.json." }
      },
    }),
    async add(address) {
      did("add", address)
      if (address.includes("nowhere")) return failed("nowhere could not be reached: unknown host.")
      const needsKey = address.includes("locked")
      return ok({ name: "llm-example-com", needsKey, message: "Saved as the provider llm-example-com." })
    },
  }
}
