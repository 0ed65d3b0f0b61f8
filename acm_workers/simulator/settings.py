"""Settings of a simulated provider."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.record import Record


class SimulatorSettings(Record):
    """Settings of a simulated provider, fixed when it starts.

    Attributes:
        port: Port to listen on; 0 for any free port.
        host: Address to listen on; loopback only, because the simulator requires no authentication.
        latency_s: Mean time from a request to its answer.
        jitter_s: Maximum deviation of the latency to either side, uniformly distributed.
        background_latency_s: Time from a background request to its result.
        rpm: Requests allowed in any 60 s, over all models; no limit by default.
        tpm: Tokens (input and output) allowed in any 60 s, counted when a request starts.
        faults: Faults of the catalogue that are injected for all models; see ``faults.registry``.
        fault_rate: Share of requests answered with a random 429, 500, 503 or reset connection.
        stall_s: Duration of the silence of T3 and of the delay of T16; T4 sends twenty bytes in
            this time.
        tls_cert: File with the certificate to serve HTTPS with; default: plain HTTP.
        tls_key: File with the certificate's key.
        seed: Seed of skills, texts, verdicts and faults.
        log_file: File to which one JSON line per request is written, without texts.
        judge_noise: Standard deviation of the quality a judge sees around the true one.
        position_bias: Added to the quality of the candidate shown first.
        repeatable: Whether a repeated request gets the same answer again, with another id.
        skill_spread: Maximum difference between the worst and the best model; the middle is 0.55.
    """

    port: Annotated[int, Field(ge=0, le=65535)] = 0
    host: Literal["127.0.0.1", "::1", "localhost"] = "127.0.0.1"
    latency_s: Annotated[float, Field(ge=0)] = 0.5
    jitter_s: Annotated[float, Field(ge=0)] = 0.0
    background_latency_s: Annotated[float, Field(ge=0)] = 5.0
    rpm: Annotated[int, Field(ge=1)] | None = None
    tpm: Annotated[int, Field(ge=1)] | None = None
    faults: tuple[str, ...] = ()
    fault_rate: Annotated[float, Field(ge=0, le=1)] = 0.0
    stall_s: Annotated[float, Field(gt=0)] = 20.0
    tls_cert: Path | None = None
    tls_key: Path | None = None
    seed: int = 0
    log_file: Path | None = None
    judge_noise: Annotated[float, Field(ge=0)] = 0.05
    position_bias: float = 0.02
    repeatable: bool = False
    skill_spread: Annotated[float, Field(ge=0, le=1)] = 0.6

    @model_validator(mode="after")
    def _tls_is_whole(self) -> "SimulatorSettings":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("a certificate and a key are needed together")
        return self
