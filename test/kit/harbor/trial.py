"""One trial: installs the agent into an environment that is a folder, runs it, and prints what Harbor would keep."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from codewright_agent import Codewright
from harbor.agents.installed.base import NonZeroAgentExitCodeError
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


@dataclass
class ExecResult:
    return_code: int
    stdout: str
    stderr: str


class FolderEnvironment(BaseEnvironment):
    """Paths of a container are paths below a folder here."""

    def __init__(self, root: Path):
        self.root = root

    def inside(self, text: str) -> str:
        for path in ("/usr/local/bin", "/logs/agent"):
            text = text.replace(path, f"{self.root}{path}")
        return text

    async def upload_file(self, source: Path, target: str) -> None:
        shutil.copy(source, self.inside(target))

    async def exec(self, command: str, env: dict[str, str] | None = None) -> ExecResult:
        own = {"PATH": os.environ["PATH"], "HOME": f"{self.root}/home", **(env or {})}
        done = subprocess.run(
            ["bash", "-c", self.inside(command)], cwd=self.root / "app", env=own, capture_output=True, text=True
        )
        return ExecResult(done.returncode, done.stdout, done.stderr)


class RootEnvironment(BaseEnvironment):
    """A container: the folder is the root, with nothing of this machine but its network."""

    def __init__(self, root: Path):
        self.root = root

    async def upload_file(self, source: Path, target: str) -> None:
        shutil.copy(source, f"{self.root}{target}")

    async def exec(self, command: str, env: dict[str, str] | None = None) -> ExecResult:
        own = {"PATH": "/usr/local/bin:/bin", "HOME": "/home", **(env or {})}
        entered = "bwrap --unshare-all --share-net --die-with-parent --uid 0 --gid 0 --clearenv --bind".split()
        entered += [str(self.root), *"/ --proc /proc --dev /dev --chdir /app".split()]
        for name, value in own.items():
            entered += ["--setenv", name, value]
        done = subprocess.run([*entered, "bash", "-c", command], capture_output=True, text=True)
        return ExecResult(done.returncode, done.stdout, done.stderr)


async def main(root: Path, executable: str, instruction: str, kind: str) -> None:
    for folder in ("usr/local/bin", "logs/agent", "app", "home"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    environment = RootEnvironment(root) if kind == "root" else FolderEnvironment(root)
    logs = root / "logs/agent"
    agent = Codewright(logs_dir=logs, model_name="anthropic/claude-opus-4-5", executable=executable, max_turns=5)
    began = time.monotonic()
    await agent.install(environment)
    installed = time.monotonic() - began
    context = AgentContext()
    failure = None
    try:
        await agent.run(instruction, environment, context)
    except NonZeroAgentExitCodeError as error:
        failure = str(error)
    agent.populate_context_post_run(context)
    print(json.dumps({"installed": installed, "failure": failure, "context": asdict(context)}))


asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:5]))
