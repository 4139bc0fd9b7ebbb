/** Folders of other agents as those agents write them, for imports in tests. */

import { Database } from "bun:sqlite"
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A secret in every place where one can be. */
export const secret = "sk-thisisaverysecretkey1234567890"

const lines = (...objects: readonly object[]): string => `${objects.map((one) => JSON.stringify(one)).join("\n")}\n`

export function putFiles(root: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

export interface SampleSource {
  readonly name: "claude" | "codex" | "gemini" | "opencode"
  /** Into a home, for a conversation in a folder whose last call has no result. */
  readonly put: (home: string, work: string) => void
  /** What the model has to see of it after a resume. */
  readonly said: readonly string[]
}

const codexId = "019d2fac-0b38-70f0-baff-a394265d8291"
const claudeId = "0aaaaaaa-0b38-40f0-8aff-a394265d8291"

const codex: SampleSource = {
  name: "codex",
  said: ["Fix the tests", "One test fails.", "npm test", "1 failed"],
  put(home, work) {
    const item = (payload: object): object => ({
      timestamp: "2026-08-10T13:02:52.000Z",
      type: "response_item",
      payload,
    })
    const said = (role: string, text: string): object =>
      item({ type: "message", role, content: [{ type: "input_text", text }] })
    const called = (call_id: string, command: readonly string[]): object =>
      item({ type: "function_call", name: "shell", arguments: JSON.stringify({ command }), call_id })
    putFiles(join(home, ".codex"), {
      "config.toml": `model = "gpt-5"\napproval_policy = "never"\nsandbox_mode = "workspace-write"\n[mcp_servers.docs]\ncommand = "docs-server"\nargs = ["--fast"]\nenv = { API_TOKEN = "${secret}", MODE = "x" }\n[mcp_servers.leaky]\ncommand = "srv"\nargs = ["--api-key", "abc"]\n`,
      "auth.json": JSON.stringify({ OPENAI_API_KEY: secret }),
      "prompts/review.md": "Review $ARGUMENTS",
      "agents/writer.toml": 'description = "Writes"\ndeveloper_instructions = "Write."\n',
      "rules/default.rules":
        'prefix_rule(pattern=["gh", ["pr", "run"], "list"])  # ok\nprefix_rule(\n  pattern = ["rm"],\n  decision = "forbidden",\n)\n',
      "AGENTS.md": "Be brief.\n",
      [`sessions/2026/08/10/rollout-2026-08-10T13-02-51-${codexId}.jsonl`]: lines(
        { timestamp: "2026-08-10T13:02:51.000Z", type: "session_meta", payload: { id: codexId, cwd: work } },
        said("user", "<environment_context>secret place</environment_context>"),
        said("user", "Fix the tests"),
        called("c1", ["bash", "-lc", "npm test"]),
        item({
          type: "function_call_output",
          call_id: "c1",
          output: JSON.stringify({ output: "1 failed", metadata: { exit_code: 1 } }),
        }),
        said("assistant", "One test fails."),
        said("user", "Go on"),
        called("c2", ["touch", "made-by-import"]),
      ),
    })
  },
}

const gemini: SampleSource = {
  name: "gemini",
  said: ["List the files", "There are two.", "a.txt b.txt"],
  put(home, work) {
    const project = createHash("sha256").update(work).digest("hex")
    const call = (id: string, result: readonly object[]): object => ({
      id,
      name: "run_shell_command",
      args: { command: "ls" },
      result,
      status: "success",
    })
    const at = "2026-08-10T13:02:52.000Z"
    const messages = [
      { id: "1", timestamp: at, type: "user", content: "List the files" },
      {
        id: "2",
        timestamp: at,
        type: "gemini",
        content: "",
        thoughts: [{ subject: "Look", description: "first" }],
        toolCalls: [call("t", [{ functionResponse: { response: { output: "a.txt b.txt" } } }])],
      },
      { id: "3", timestamp: at, type: "gemini", content: "There are two." },
      { id: "4", timestamp: at, type: "info", content: "ignored" },
    ]
    putFiles(join(home, ".gemini"), {
      "settings.json": `{ // mine\n "model": { "name": "gemini-4-argon" }, "tools": { "allowed": ["run_shell_command(git status)", "run_shell_command"], "exclude": ["web_fetch"] },\n "mcpServers": { "db": { "command": "db", "env": { "DB_PASSWORD": "${secret}" } }, "far": { "httpUrl": "https://far.example/mcp", "headers": { "Authorization": "Bearer ${secret}" } } } }`,
      "oauth_creds.json": JSON.stringify({ access_token: secret }),
      "trustedFolders.json": JSON.stringify({ [work]: "TRUST_FOLDER" }),
      "commands/git/commit.toml": 'description = "Commit"\nprompt = "Commit {{args}} !{git diff} @{a.txt}"\n',
      "GEMINI.md": "Be kind.\n",
      [`tmp/${project}/chats/session-1.json`]: JSON.stringify({ sessionId: "s", startTime: at, messages }),
    })
  },
}

const opencode: SampleSource = {
  name: "opencode",
  said: ["Say hello", "Hello.", "From the database"],
  put(home, work) {
    const store = join(home, ".local/share/opencode")
    const part = (text: string): string => JSON.stringify({ type: "text", text })
    putFiles(join(home, ".config/opencode"), {
      "opencode.jsonc": `{ "model": "anthropic/claude-opus-5", // best\n "mcp": { "near": { "type": "local", "command": ["near", "--x"], "environment": { "NEAR_TOKEN": "${secret}" } } },\n "permission": { "edit": "allow", "bash": { "*": "ask", "git push *": "deny", "npm test": "allow" } } }`,
      "agent/docs.md": "---\ndescription: Docs\nmode: subagent\ntools:\n  bash: false\n---\nWrite docs.\n",
      "command/t.md": "---\ndescription: Test\nmodel: anthropic/claude-haiku-5\n---\nTest $ARGUMENTS\n",
    })
    putFiles(store, {
      "auth.json": JSON.stringify({ anthropic: { key: secret } }),
      "storage/session/p/ses_1.json": JSON.stringify({
        id: "ses_1",
        directory: work,
        title: "In files",
        time: { created: 1_750_000_000_000 },
      }),
      "storage/message/ses_1/msg_1.json": JSON.stringify({
        id: "msg_1",
        role: "user",
        time: { created: 1_750_000_000_000 },
      }),
      "storage/part/msg_1/prt_1.json": part("In a file"),
    })
    const database = new Database(join(store, "opencode.db"))
    database.run("pragma journal_mode = wal")
    database.run("create table session (id text, parent_id text, directory text, title text)")
    database.run("create table message (id text, session_id text, time_created integer, data text)")
    database.run("create table part (id text, message_id text, session_id text, data text)")
    database.run(
      "insert into session values ('ses_2', null, ?, 'From the database'), ('ses_3', 'ses_2', ?, 'of an agent')",
      [work, work],
    )
    database.run("insert into message values ('m1', 'ses_2', 1760000000000, ?), ('m2', 'ses_2', 1760000000001, ?)", [
      JSON.stringify({ role: "user", time: { created: 1_760_000_000_000 } }),
      JSON.stringify({ role: "assistant", modelID: "claude-opus-5", time: { created: 1_760_000_000_001 } }),
    ])
    database.run("insert into part values ('p1', 'm1', 'ses_2', ?), ('p2', 'm2', 'ses_2', ?)", [
      part("Say hello From the database"),
      part("Hello."),
    ])
    database.close()
  },
}

const claude: SampleSource = {
  name: "claude",
  said: ["What is here", "A file.", "ls -a"],
  put(home, work) {
    const line = (
      uuid: string,
      parentUuid: string | null,
      type: string,
      content: unknown,
      more: object = {},
    ): object => ({
      type,
      uuid,
      parentUuid,
      cwd: work,
      sessionId: claudeId,
      timestamp: "2026-08-10T13:02:52.000Z",
      message: { role: type, content, model: "claude-opus-5" },
      ...more,
    })
    putFiles(join(home, ".claude"), {
      [`projects/-w/${claudeId}.jsonl`]: lines(
        line("a", null, "user", "What is here"),
        line("b", "a", "assistant", [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls -a" } }]),
        line("c", "b", "user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }]),
        line("x", "a", "user", "another branch"),
        // What would be a right in a log of ours is nothing here.
        {
          type: "system",
          subtype: "grant",
          uuid: "g",
          parentUuid: "c",
          codewright: { rule: "Bash", destination: "session" },
        },
        line("d", "c", "assistant", [{ type: "text", text: "A file." }]),
      ),
    })
  },
}

export const sampleSources: readonly SampleSource[] = [claude, codex, gemini, opencode]
