"""Settings of a process, from environment variables only."""

from pathlib import Path

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from acm_workers.errors import RequestError

_MOST = 1e9
_LEVELS = ("debug", "info", "warning", "error")


class Settings(BaseSettings):
    """The values of environment variables with the prefix ``ACM_``.

    Attributes:
        database_url: SQLAlchemy URL of the store; default: a SQLite file in ``./.acm``.
        broker_url: Redis through which workers receive their messages; by default everything runs
            in this process.
        home: Folder of the SQLite store and the engine's lock.
        log_level: Lowest level that is logged: debug, info, warning, error.
        key_prefix: Begins every key in Redis; deployments that share a Redis need different ones,
            because a worker takes messages of other deployments and drops them.
        api_url: Server that commands use; default: the local store.
        api_key: Key for that server, created by `acm keys add`.
        provider_hosts: Hosts that users of a server may name in ``base_url``, separated by commas;
            those of the built-in providers are always allowed.
        requests_per_minute: Maximum requests of a key to a process of `acm api`.
        retention_days: Days after which `acm api` deletes the texts of ended runs; never by
            default.
        gptr_environment: Folder of GPT Researcher's environment; default: the user's data folder.
        fpf_path: Folder of the FilePromptForge that workers run for entries with ``engine:
            external``; without a broker, `acm run` uses ``fpf.path`` of the config by default.
        fpf_variables: Names of environment variables that FilePromptForge receives, separated by
            commas.
    """

    model_config = SettingsConfigDict(env_prefix="ACM_", env_ignore_empty=True, frozen=True)

    database_url: str | None = None
    broker_url: str | None = None
    home: Path = Field(default_factory=lambda: Path.cwd() / ".acm")
    log_level: str = "warning"
    key_prefix: str = "acm:"
    api_url: str | None = None
    api_key: str | None = None
    provider_hosts: str = ""
    requests_per_minute: float = 3000
    retention_days: float | None = None
    gptr_environment: Path | None = None
    fpf_path: Path | None = None
    fpf_variables: str = ""

    @field_validator("retention_days", "requests_per_minute", mode="before")
    @classmethod
    def _is_above_zero(cls, value: str | float | None, info: ValidationInfo) -> float | None:
        if value is None:
            return None
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number < _MOST:
            name = f"ACM_{(info.field_name or '').upper()}"
            raise RequestError(f"{name} must be a number above 0, not {value}")
        return number

    @field_validator("log_level")
    @classmethod
    def _is_a_level(cls, value: str) -> str:
        if value.lower() not in _LEVELS:
            raise RequestError(f"ACM_LOG_LEVEL must be one of {', '.join(_LEVELS)}, not {value}")
        return value.lower()

    @property
    def store_url(self) -> str:
        """Return the URL of the store."""
        if self.database_url is not None:
            return _with_driver(self.database_url)
        return f"sqlite:///{self.home / 'acm.db'}"

    @property
    def local_home(self) -> Path | None:
        """Return the folder of the SQLite store; None if the store is a server."""
        return self.home if self.database_url is None else None


def _with_driver(url: str) -> str:
    for plain in ("postgres://", "postgresql://"):
        if url.startswith(plain):
            return "postgresql+psycopg://" + url.removeprefix(plain)
    return url
