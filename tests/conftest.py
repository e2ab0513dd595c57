"""The one switch of this suite: `--update` rewrites goldens, transcripts and generated docs instead of comparing."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite goldens, transcripts and docs; read the diff")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are to be rewritten."""
    return bool(request.config.getoption("--update"))


@pytest.fixture(autouse=True)
def _nobody_s_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wiki and no clock of the person who runs the tests."""
    for name in ("LLMWIKI_ROOT", "LLMWIKI_NOW", "XDG_CONFIG_HOME", "COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
