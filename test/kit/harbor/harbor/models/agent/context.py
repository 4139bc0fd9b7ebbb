"""What an adapter reports of its run."""

from dataclasses import dataclass


@dataclass
class AgentContext:
    cost_usd: float | None = None
    n_input_tokens: int | None = None
    n_output_tokens: int | None = None
    n_cache_tokens: int | None = None
