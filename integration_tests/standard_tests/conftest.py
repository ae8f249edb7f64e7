"""A connector's folder as the standard tests expect it, and a provider with records of every stream."""

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

from provider import ROOT, Provider  # noqa: E402

pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]

FOLDER = Path(tempfile.mkdtemp()) / "source-ai-billing"
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
                for entry in content["tests"]
            ]
    return config


def pytest_configure(config: pytest.Config) -> None:
    """Makes the folder before pytest collects the tests, because collection reads the configurations."""
    provider = Provider("--now", "2025-10-04T12:00:00Z")
    config.add_cleanup(provider.stop)
    config.add_cleanup(lambda: shutil.rmtree(FOLDER.parent))
    for path in ("metadata.yaml", "spec.json", INVALID_CONFIG):
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, FOLDER / path)
    (FOLDER / "acceptance-test-config.yml").write_text(yaml.safe_dump(acceptance_config()))
    (FOLDER / "secrets").mkdir()
    (FOLDER / "secrets" / "config.json").write_text(json.dumps(provider.config))
