"""The reference provider or a fake as a process, and the handle to move its time and its data."""

from __future__ import annotations

import json
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / "node_modules" / ".bin" / "node"


class Provider:
    """Serves until `stop`; `control` asks what reference_provider/README.md describes."""

    def __init__(self, *options: str) -> None:
        line = [str(NODE), "reference_provider/main.ts", "--json", "--control", "--port", "0", *options]
        self._process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        greeting: dict[str, Any] = json.loads(self._process.stdout.readline())
        self.base_url: str = greeting["base_url"]
        self.oauth: dict[str, str] = greeting.get("oauth", {})
        self.config: dict[str, Any] = {
            "base_url": self.base_url,
            "credentials": {
                "auth_type": "scoped_bearer_token",
                "access_token": greeting["access_token"],
            },
        }

    def control(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        address = urllib.parse.urljoin(self.base_url, f"/control/{path}")
        request = urllib.request.Request(address, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=10)


AUTH_TYPES = {
    "anthropic": "anthropic_admin_key",
    "openai": "openai_admin_key",
    "openrouter": "openrouter_management_key",
}


class Fake(Provider):
    """A fake of the own reports of a provider, which the connector reads through an adapter (fake_providers/README.md)."""

    def __init__(self, name: str, *options: str) -> None:
        super().__init__("--as", name, *options)
        key = self.config["credentials"]["access_token"]
        self.config["credentials"] = {"auth_type": AUTH_TYPES[name], "api_key": key}
