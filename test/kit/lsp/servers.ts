/** Language servers for tests: real ones, and how long tests wait for them. */

import { resolve } from "node:path"
import type { WrittenLanguageServer } from "#ground/lsp/server-config.ts"
import type { JsonObject } from "#lib/json.ts"
import type { LspChoice } from "#session/opening/options.ts"

const modules = resolve(import.meta.dir, "../../../node_modules")

/** As the user would write it into their settings. */
const written = (name: string, value: JsonObject): WrittenLanguageServer => ({
  name,
  source: "settings",
  file: "settings.json",
  base: "/",
  value,
})

/** A busy machine takes long; the answer itself decides when it goes on. */
const patient = { answerMs: 200_000, firstMs: 200_000, restMs: 200_000, loadingMs: 200_000 }

export const lspOf = (...servers: readonly WrittenLanguageServer[]): LspChoice => ({
  written: servers,
  finds: false,
  patience: patient,
})

export const clangd: WrittenLanguageServer = written("clangd", {
  command: "clangd",
  extensionToLanguage: { ".c": "c", ".h": "c" },
})

export const typescript: WrittenLanguageServer = written("typescript", {
  command: `${modules}/.bin/typescript-language-server`,
  args: ["--stdio"],
  extensionToLanguage: { ".ts": "typescript" },
  initializationOptions: {
    disableAutomaticTypingAcquisition: true,
    tsserver: { path: `${modules}/typescript5/lib/tsserver.js` },
  },
})

export const pyright: WrittenLanguageServer = written("pyright", {
  command: `${modules}/.bin/pyright-langserver`,
  args: ["--stdio"],
  extensionToLanguage: { ".py": "python" },
})

/** The one that misbehaves, for files that end in `.txt`. */
export const wayward = (how: string): WrittenLanguageServer =>
  written("wayward", {
    command: process.execPath,
    args: [resolve(import.meta.dir, "wayward-server.ts"), how],
    extensionToLanguage: { ".txt": "plaintext" },
  })
