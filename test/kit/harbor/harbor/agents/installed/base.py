"""The part of Harbor's interface for installed agents that an adapter meets, as its published source has it."""

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class NonZeroAgentExitCodeError(RuntimeError):
    pass


@dataclass
class CliFlag:
    kwarg: str
    cli: str
    type: str = "str"


def with_prompt_template(fn):
    @functools.wraps(fn)
    async def wrapper(self, instruction, *args, **kwargs):
        return await fn(self, instruction, *args, **kwargs)

    return wrapper


class BaseInstalledAgent:
    CLI_FLAGS: list[CliFlag] = []

    def __init__(self, logs_dir: Path, model_name: str | None = None, version: str | None = None, **kwargs: Any):
        self._flags = [(flag.cli, kwargs.pop(flag.kwarg)) for flag in self.CLI_FLAGS if flag.kwarg in kwargs]
        if kwargs:
            raise TypeError(f"unknown arguments: {sorted(kwargs)}")
        self.logs_dir = logs_dir
        self.model_name = model_name
        self._version = version

    def build_cli_flags(self) -> str:
        return " ".join(f"{cli} {value}" for cli, value in self._flags)

    def _get_env(self, key: str) -> str | None:
        return os.environ.get(key)

    async def _exec(self, environment, command, env=None):
        result = await environment.exec(command=f"set -o pipefail; {command}", env=env)
        if result.return_code != 0:
            raise NonZeroAgentExitCodeError(f"exit {result.return_code}: {result.stderr}")
        return result

    async def exec_as_root(self, environment, command, env=None):
        return await self._exec(environment, command, env)

    async def exec_as_agent(self, environment, command, env=None):
        return await self._exec(environment, command, env)
