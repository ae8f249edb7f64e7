"""The standard tests, run on an executable instead of a Python class."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from airbyte_cdk.test import entrypoint_wrapper
from airbyte_cdk.test.entrypoint_wrapper import EntrypointOutput
from airbyte_cdk.test.models import ConnectorTestScenario
from airbyte_cdk.test.standard_tests.source_base import SourceTestSuiteBase
from conftest import FOLDER


class Executable:
    """Stands for the connector. The standard tests look for `spec` and give all commands to `run_command`."""

    def spec(self, logger: object) -> None:
        raise NotImplementedError


def run_command(source: object, args: list[str], *_: Any, **__: Any) -> EntrypointOutput:
    """Runs the executable instead of the CDK's entrypoint in this process."""
    line = [os.environ["CONNECTOR"], *args]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
    failure = (
        subprocess.CalledProcessError(done.returncode, line, done.stdout, done.stderr)
        if done.returncode != 0
        else None
    )
    return EntrypointOutput(messages=done.stdout.splitlines(), uncaught_exception=failure)


@pytest.fixture(autouse=True)
def executable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrypoint_wrapper, "_run_command", run_command)


class TestSourceAiBilling(SourceTestSuiteBase):
    @classmethod
    def get_connector_root_dir(cls) -> Path:
        return FOLDER

    @classmethod
    def create_connector(cls, scenario: ConnectorTestScenario | None) -> Executable:
        return Executable()
