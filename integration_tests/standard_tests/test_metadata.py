"""metadata.yaml by the models that Airbyte's own tools read it with."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from airbyte_connector_models.metadata.v0.connector_metadata_definition_v0 import (
    ConnectorMetadataDefinitionV0,
)
from provider import ROOT
from pydantic import ValidationError


@pytest.fixture
def metadata() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "metadata.yaml").read_text())


def test_the_models_accept_it(metadata: dict[str, Any]) -> None:
    ConnectorMetadataDefinitionV0.model_validate(metadata)


def test_the_models_refuse_a_member_that_they_do_not_know(metadata: dict[str, Any]) -> None:
    metadata["data"]["registries"] = metadata["data"].pop("registryOverrides")
    with pytest.raises(ValidationError, match="registries"):
        ConnectorMetadataDefinitionV0.model_validate(metadata)
