/** A session that is only pretended: a real feed, and answers that a test makes up. What crosses is JSON all the same. */

import type { SandboxOverview } from "#session/port/sandbox-overview.ts"
import type { Op } from "#agent/words/op.ts"
import type { SessionState } from "#agent/words/state.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Feed } from "#session/journal/feed.ts"
import { answer, type Answering } from "#session/adapters/answers.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { OpFailure, Session } from "#session/port/session.ts"
import { overWire } from "./over-wire.ts"

export const paperAbout: SessionAbout = {
  cwd: "/",
  tools: [],
  addedFolders: [],
  modeCycle: ["default", "acceptEdits", "plan"],
  bypassAvailable: false,
  opened: "beginning",
  recent: "beginning",
  notes: [],
  fileNotes: [],
}

export const paperState: SessionState = {
  mode: "default",
  thinking: { type: "auto" },
  budget: {},
  agents: {},
  model: "m",
  cwd: "/",
  costUsd: 0,
  spending: {},
  contextTokens: 0,
  turns: 0,
}

export const paperSandbox: SandboxOverview = {
  enabled: false,
  autoAllow: false,
  hooks: false,
  mcp: false,
  backend: "none",
  works: false,
  why: "this is a session on paper",
  fix: "Open a real one.",
  home: "/home",
  policy: {
    name: "workspace",
    writes: [],
    held: [],
    hidden: [],
    temp: { folder: "/tmp", asTmp: true },
    network: { mode: "off", because: "this is a session on paper" },
    limits: { processes: 1, memoryBytes: 1 },
  },
  hiddenHere: [],
  notes: [],
}

export function openPaperSession(parts: {
  readonly id?: string
  readonly feed: Feed
  readonly submit: (op: Op) => Result<void, OpFailure> | void
  readonly answers?: Partial<Answering>
}): Session {
  const { feed } = parts
  const nothing: Answering = {
    about: () => paperAbout,
    state: () => paperState,
    btw: () => failed("There is no model."),
    thinking: () => ({ model: paperState.model, chosen: paperState.thinking }),
    connected: () => null,
    questions: () => [],
    stage: () => ({ stage: "executing", gates: {}, pending: [] }),
    gates: () => [],
    completed: () => [],
    started: () => null,
    settled: () => ({ cursor: feed.last() }),
    last_entry: () => ({ cursor: feed.last() }),
    recent: () => ({ cursor: feed.recent() }),
    log_parts: () => ({ parts: [{ after: "beginning", bytes: 1 }], rest: 1 }),
    ready: () => null,
    turn: () => [],
    requests: () => ({ total: 0, rows: [] }),
    request: () => null,
    command: () => null,
    points: () => failed("There is no past."),
    preview: () => failed("There is no past."),
    branches: () => [],
    diff: () => failed("There is no past."),
    changes: () => ({ ok: true, value: [] }),
    auto_decisions: () => [],
    review: () => ({ ok: true, value: { files: [] } }),
    summary: () => failed("There is no past."),
    plan: () => null,
    todos: () => [],
    goal: () => null,
    loop: () => null,
    background: () => [],
    command_output: () => null,
    sandbox_state: () => "off",
    context: () => ({ model: "claude-sonnet-5", window: 0, parts: [] }),
    memory: () => [],
    grants: () => [],
    commands: () => [],
    definitions: () => [],
    skills: () => [],
    styles: () => ({ chosen: "default", names: ["default"], list: [] }),
    hooks: () => ({ configured: [], problems: [], runs: [] }),
    sandbox: () => paperSandbox,
    agent_types: () => [],
    tool_specs: () => [],
    agents: () => [],
    agent: () => null,
    team: () => null,
    tools: () => [],
    servers: () => [],
    language_servers: () => [],
    resource: () => failed("There is no server."),
    context_details: () => ({ tools: [], memory: [], agents: [] }),
    rules: () => [],
    folders: () => [],
    read_file: () => failed("There are no files here."),
    apply_settings: () => ({ ignored: [], failures: [] }),
    set_servers: () => ({ added: [], removed: [], errors: {} }),
    call_server: () => failed("There are no servers here."),
    complete_argument: () => [],
    server_prompt: () => failed("There is no server."),
  }
  const answering: Answering = { ...nothing, ...parts.answers }
  return overWire({
    id: parts.id ?? "s",
    submit: async (op) => parts.submit(op) ?? ok(undefined),
    events: feed.after,
    ask: (query, signal) => answer(answering, query, signal),
    close: async () => feed.close(),
  })
}
