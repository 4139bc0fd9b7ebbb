"""An environment as adapters see it."""


class BaseEnvironment:
    pass
