"""Codewright as an agent of Harbor (Terminal-Bench): installs in seconds, runs without a screen, leaves a trajectory.

    harbor run -d terminal-bench@2.0 -m anthropic/claude-opus-4-5 \
        --agent-import-path integrations.harbor.codewright_agent:Codewright \
        --agent-kwarg executable=dist/codewright
"""

import json
import shlex
import uuid
from pathlib import Path

from harbor.agents.installed.base import BaseInstalledAgent, CliFlag, with_prompt_template
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

PROGRAM = "/usr/local/bin/codewright"
LOGS = "/logs/agent"

# What a provider needs to be reached. A task's container gets these and nothing else of the host.
FORWARDED = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
)


class Codewright(BaseInstalledAgent):
    """One prompt, everything allowed (the container is the sandbox), and an exit code that says what happened."""

    SUPPORTS_ATIF: bool = True

    CLI_FLAGS = [
        CliFlag("effort", cli="--effort"),
        CliFlag("max_turns", cli="--max-turns", type="int"),
        CliFlag("max_budget_usd", cli="--max-budget-usd"),
    ]

    def __init__(self, *args, executable: str | None = None, **kwargs):
        """`executable`: a built program on this machine, which is copied; without it, npm installs one."""
        super().__init__(*args, **kwargs)
        self._executable = Path(executable) if executable else None
        self._session_id = str(uuid.uuid4())

    @staticmethod
    def name() -> str:
        return "codewright"

    def get_version_command(self) -> str | None:
        return f"{PROGRAM} --version"

    def parse_version(self, stdout: str) -> str:
        return stdout.strip().split()[0]

    async def install(self, environment: BaseEnvironment) -> None:
        if self._executable is not None:
            await environment.upload_file(self._executable, PROGRAM)
            await self.exec_as_root(environment, command=f"chmod 755 {PROGRAM}")
        else:
            version = f"@{self._version}" if self._version else ""
            command = f"npm install --global --prefix /usr/local codewright{version}"
            await self.exec_as_root(environment, command=command)
        await self.exec_as_agent(environment, command=f"{PROGRAM} --version")

    @with_prompt_template
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        env = {name: value for name in FORWARDED if (value := self._get_env(name))}
        # Allows everything as root, which task containers often are.
        env["IS_SANDBOX"] = "1"
        argv = [PROGRAM, "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        argv += ["--session-id", self._session_id]
        if self.model_name:
            provider, _, model = self.model_name.partition("/")
            argv += ["--model", model if provider == "anthropic" else self.model_name]
        flags = self.build_cli_flags()
        # The prompt comes over standard input: it may be long, and may begin with a dash.
        command = f"printf %s {shlex.quote(instruction)} | {shlex.join(argv)} {flags} > {LOGS}/codewright.jsonl"
        try:
            # Raises for an exit code other than 0, so an unfinished run is never taken for a finished one.
            await self.exec_as_agent(environment, command=command, env=env)
        finally:
            export = [PROGRAM, "sessions", "export", self._session_id, "--atif", "-o", f"{LOGS}/trajectory.json"]
            await environment.exec(command=shlex.join(export))

    def populate_context_post_run(self, context: AgentContext) -> None:
        path = self.logs_dir / "trajectory.json"
        if not path.exists():
            return
        # Each trajectory counts only its own answers, so those of the agents are added.
        every = with_subagents(json.loads(path.read_text()))
        totals = [trajectory.get("final_metrics", {}) for trajectory in every]

        def total(name: str) -> float:
            return sum(one.get(name, 0) for one in totals)

        context.cost_usd = total("total_cost_usd")
        context.n_input_tokens = total("total_prompt_tokens")
        context.n_output_tokens = total("total_completion_tokens")
        context.n_cache_tokens = total("total_cached_tokens")


def with_subagents(trajectory: dict) -> list[dict]:
    below = trajectory.get("subagent_trajectories", [])
    return [trajectory, *(one for child in below for one in with_subagents(child))]
