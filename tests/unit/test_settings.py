"""What the environment may say."""

import pytest

from acm_workers.errors import RequestError
from acm_workers.settings import Settings


@pytest.mark.parametrize("variable", ["ACM_RETENTION_DAYS", "ACM_REQUESTS_PER_MINUTE"])
@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan", "inf"])
def test_what_is_no_number_above_zero_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(RequestError, match=f"{variable} must be a number above 0, not {value}"):
        Settings()


def test_variables_without_a_value_are_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ACM_RETENTION_DAYS", "ACM_API_URL", "ACM_DATABASE_URL"):
        monkeypatch.setenv(variable, "")

    settings = Settings()

    assert (settings.retention_days, settings.api_url, settings.database_url) == (None, None, None)
