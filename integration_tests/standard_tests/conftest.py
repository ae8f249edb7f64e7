"""A connector's folder as the standard tests expect it, a provider with records of every stream, and a fake."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from airbyte_cdk.test.models.scenario import SECTION_COMMANDS, entry_key_problems

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from provider import ROOT, Fake, Provider  # noqa: E402

pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]

FOLDER = Path(tempfile.mkdtemp()) / "source-ai-billing"
CONFIG = "secrets/config.json"
FAKE_CONFIG = "secrets/fake.json"
INVALID_CONFIG = "integration_tests/acceptance/invalid_config.json"


def acceptance_config() -> dict[str, Any]:
    """acceptance-test-config.yml without the keys that only the acceptance tests read.

    These tests refuse the other keys, and fail on a list of empty streams that has entries.
    """
    config: dict[str, Any] = yaml.safe_load((ROOT / "acceptance-test-config.yml").read_text())
    for section, content in config["acceptance_tests"].items():
        if section in SECTION_COMMANDS:
            content["tests"] = [
                {
                    key: value
                    for key, value in entry.items()
                    if key != "empty_streams" and not entry_key_problems({key: value}, [section])
                }
                for entry in [*content["tests"], *of_fake(content["tests"])]
            ]
    return config


def of_fake(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same tests for a fake of Anthropic's own reports, which an adapter reads. Its records are no expected ones."""
    return [
        {key: value for key, value in entry.items() if key != "expect_records"}
        | {"config_path": FAKE_CONFIG}
        for entry in tests
        if entry.get("config_path") == CONFIG
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Makes the folder before pytest collects the tests, because collection reads the configurations."""
    provider = Provider("--now", "2025-10-04T12:00:00Z")
    fake = Fake("anthropic", "--now", "2026-01-20T12:00:00Z")
    config.add_cleanup(provider.stop)
    config.add_cleanup(fake.stop)
    config.add_cleanup(lambda: shutil.rmtree(FOLDER.parent))
    for path in ("metadata.yaml", "spec.json", INVALID_CONFIG):
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, FOLDER / path)
    (FOLDER / "acceptance-test-config.yml").write_text(yaml.safe_dump(acceptance_config()))
    (FOLDER / "secrets").mkdir()
    (FOLDER / CONFIG).write_text(json.dumps(provider.config))
    (FOLDER / FAKE_CONFIG).write_text(json.dumps(fake.config))
