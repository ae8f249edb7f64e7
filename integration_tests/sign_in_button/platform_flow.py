"""The platform's part of `advanced_auth`: declarative OAuth as the platform's documentation describes it."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import string
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

import jinja2
import jsonschema

Json = dict[str, Any]

# The characters of the platform's random states.
ALPHABET = string.ascii_letters + string.digits + ".-_"


def padded_challenge(text: str) -> str:
    """The filter of the platform's code: standard base64 with padding."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def proper_challenge(text: str) -> str:
    """The filter of the platform's documentation: base64url without padding (RFC 7636)."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


class Platform:
    """One sign-in with the button: takes the user's form and returns the config that the platform stores."""

    def __init__(self, advanced: Json, challenge: Callable[[str], str]) -> None:
        self._specification: Json = advanced["oauth_config_specification"]
        self._templates: Json = self._specification["oauth_connector_input_specification"]
        # The platform would leave a hole in the address for an undefined name; here it is an error.
        self._jinja = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
        self._jinja.filters["codechallengeS256"] = challenge
        self._jinja.filters["b64encode"] = lambda text: base64.b64encode(text.encode()).decode()
        self.state = ""

    def consent_url(self, form: Json, redirect_uri: str) -> str:
        bounds = self._templates.get("state", {"min": 7, "max": 24})
        length = bounds["min"] + secrets.randbelow(bounds["max"] - bounds["min"] + 1)
        self.state = "".join(secrets.choice(ALPHABET) for _ in range(length))
        names = self._names(form, redirect_uri, code="")
        return self._render(self._templates["consent_url"], names)

    def complete(self, form: Json, redirect_uri: str, answer: Json) -> Json:
        """The form with the tokens that the sign-in adds."""
        assert answer["state"] == self.state
        names = self._names(form, redirect_uri, code=answer["code"])
        headers = self._rendered("access_token_headers", names)
        parameters = self._rendered("access_token_params", names)
        is_form = headers.get("Content-Type") == "application/x-www-form-urlencoded"
        body = urllib.parse.urlencode(parameters) if is_form else json.dumps(parameters)
        url = self._render(self._templates["access_token_url"], names)
        request = urllib.request.Request(url, body.encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            tokens: Json = json.load(response)
        missing = [name for name in self._templates["extract_output"] if name not in tokens]
        assert missing == [], f"missing in the token response: {missing}"
        extracted = {name: tokens[name] for name in self._templates["extract_output"]}
        return self._stored(form, extracted)

    def _names(self, form: Json, redirect_uri: str, code: str) -> dict[str, str]:
        """The variables: the user's addresses, and key, value and parameter of each word of OAuth."""
        names = self._typed(form)
        words = {
            "client_id": self._at(form, ["credentials", "client_id"]),
            "client_secret": self._at(form, ["credentials", "client_secret"]),
            "auth_code": code,
            "redirect_uri": redirect_uri,
            # Newer platforms know a list of scopes, and prefer it to the text.
            "scope": " ".join(each["scope"] for each in self._templates["scopes"]),
            "state": self.state,
        }
        keys = {"auth_code": "code"}
        for word, value in words.items():
            key = self._templates.get(f"{word}_key", keys.get(word, word))
            encoded = urllib.parse.quote_plus(value) if word in ("redirect_uri", "scope") else value
            names |= {f"{word}_key": key, f"{word}_value": value, f"{word}_param": f"{key}={encoded}"}
        return names

    def _typed(self, form: Json) -> dict[str, str]:
        schema = self._specification["oauth_user_input_from_connector_config_specification"]
        typed = {
            name: self._at(form, property["path_in_connector_config"])
            for name, property in schema["properties"].items()
        }
        given = {name: value for name, value in typed.items() if value is not None}
        jsonschema.validate(given, schema)
        return given

    def _stored(self, form: Json, extracted: Json) -> Json:
        stored: Json = json.loads(json.dumps(form))
        outputs = self._specification["complete_oauth_output_specification"]["properties"]
        for property in outputs.values():
            [name] = property["path_in_oauth_response"]
            *parents, leaf = property["path_in_connector_config"]
            place = stored
            for parent in parents:
                place = place.setdefault(parent, {})
            place[leaf] = extracted[name]
        return stored

    def _rendered(self, key: str, names: dict[str, str]) -> dict[str, str]:
        templates: dict[str, str] = self._templates.get(key, {})
        return {
            self._render(name, names): self._render(value, names) for name, value in templates.items()
        }

    def _render(self, template: str, names: dict[str, str]) -> str:
        return self._jinja.from_string(template).render(names)

    @staticmethod
    def _at(form: Json, path: list[str]) -> Any:
        place: Any = form
        for step in path:
            place = place.get(step) if isinstance(place, dict) else None
        return place
