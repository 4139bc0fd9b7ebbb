/** The language servers that are looked for on the PATH, in the order in which they are preferred. */

import type { JsonObject } from "#lib/json.ts"

export interface KnownServer {
  readonly name: string
  readonly programs: readonly KnownProgram[]
  readonly languages: { readonly [extension: string]: string }
  /** Files at the root of a project that say that it is one of this language. */
  readonly marks: readonly string[]
}

export interface KnownProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly initializationOptions?: JsonObject
  /** It counts only as part of this package, from this version on. */
  readonly package?: { readonly name: string; readonly since: number }
}

export const knownServers: readonly KnownServer[] = [
  {
    name: "typescript",
    programs: [
      {
        command: "typescript-language-server",
        args: ["--stdio"],
        // It would install packages by itself.
        initializationOptions: { disableAutomaticTypingAcquisition: true },
      },
      { command: "vtsls", args: ["--stdio"] },
      { command: "tsc", args: ["--lsp", "--stdio"], package: { name: "typescript", since: 7 } },
    ],
    languages: {
      ".ts": "typescript",
      ".tsx": "typescriptreact",
      ".mts": "typescript",
      ".cts": "typescript",
      ".js": "javascript",
      ".jsx": "javascriptreact",
      ".mjs": "javascript",
      ".cjs": "javascript",
    },
    marks: ["tsconfig.json", "jsconfig.json", "package.json"],
  },
  {
    name: "python",
    programs: [
      { command: "pyright-langserver", args: ["--stdio"] },
      { command: "basedpyright-langserver", args: ["--stdio"] },
      { command: "pylsp", args: [] },
    ],
    languages: { ".py": "python", ".pyi": "python" },
    marks: ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
  },
  {
    name: "go",
    programs: [{ command: "gopls", args: [] }],
    languages: { ".go": "go" },
    marks: ["go.mod", "go.work"],
  },
  {
    name: "rust",
    programs: [{ command: "rust-analyzer", args: [] }],
    languages: { ".rs": "rust" },
    marks: ["Cargo.toml"],
  },
  {
    name: "clangd",
    programs: [{ command: "clangd", args: [] }],
    languages: {
      ".c": "c",
      ".h": "c",
      ".cc": "cpp",
      ".cpp": "cpp",
      ".cxx": "cpp",
      ".hh": "cpp",
      ".hpp": "cpp",
      ".hxx": "cpp",
    },
    marks: ["compile_commands.json", "compile_flags.txt", ".clangd", "CMakeLists.txt"],
  },
]
