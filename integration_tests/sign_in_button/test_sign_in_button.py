"""The sign-in button of the platform, walked from the form to a sync, by the templates of spec.json alone."""

from __future__ import annotations

import http.cookiejar
import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from platform_flow import Json, Platform, padded_challenge, proper_challenge
from provider import ROOT, Provider

REDIRECT = "https://platform.example/auth_flow"
SPECIFICATION: Json = json.loads((ROOT / "spec.json").read_text())


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    served = Provider("--oauth", "--redirect-uri", REDIRECT)
    yield served
    served.stop()


@pytest.fixture
def form(provider: Provider) -> Json:
    """The form as a user fills it in before pressing the button."""
    facts: dict[str, str] = provider.control("oauth")
    named = ("client_id", "client_secret", "authorization_url", "token_url")
    credentials = {name: facts[name] for name in named}
    return {
        "base_url": provider.base_url,
        "credentials": {"auth_type": "oauth2_authorization_code", **credentials},
    }


class _Stop(urllib.request.HTTPRedirectHandler):
    """Follows the server's own redirects and stops at the one that leads to the platform."""

    def redirect_request(self, request: Any, *rest: Any) -> Any:
        target = rest[-1]
        return None if target.startswith(REDIRECT) else super().redirect_request(request, *rest)


def click_through(address: str, decision: str = "allow") -> Json:
    """The parameters that a browser brings back to the platform."""
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    opener = urllib.request.build_opener(_Stop, jar)
    data: bytes | None = None
    for _ in range(4):
        try:
            with opener.open(urllib.request.Request(address, data), timeout=30) as page:
                address, html = page.url, page.read().decode()
        except urllib.error.HTTPError as error:
            assert error.code == 303, error.read().decode()
            back = urllib.parse.urlsplit(error.headers["location"])
            return dict(urllib.parse.parse_qsl(back.query))
        account = re.findall(r'name="account" value="([^"]+)"', html)
        scopes = [("scope", scope) for scope in re.findall(r'name="scope" value="([^"]+)"', html)]
        fields = [("account", account[0]), ("decision", "login")] if account else [*scopes, ("decision", decision)]
        data = urllib.parse.urlencode(fields).encode()
    raise AssertionError("login and consent did not come to an end")


def run_check(config: Json, folder: Path) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    line = [str(ROOT / "bin" / "source-ai-billing"), "check", "--config", str(path)]
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("challenge", [padded_challenge, proper_challenge])
def test_the_button_leads_to_a_working_token(
    form: Json, tmp_path: Path, challenge: Callable[[str], str]
) -> None:
    advanced: Json = SPECIFICATION["advanced_auth"]
    place: Any = form
    for step in advanced["predicate_key"]:
        place = place[step]
    assert place == advanced["predicate_value"]
    # Challenges differ in what has to be replaced, so one is not enough.
    for _ in range(20):
        platform = Platform(advanced, challenge)
        address = platform.consent_url(form, REDIRECT)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query, strict_parsing=True))
        assert query["code_challenge"] == proper_challenge(platform.state)
        assert 43 <= len(platform.state) <= 128
        config = platform.complete(form, REDIRECT, click_through(address))
        jsonschema.validate(config, SPECIFICATION["connectionSpecification"])
    assert '"SUCCEEDED"' in run_check(config, tmp_path)


def test_an_authorization_url_with_a_query_keeps_it(form: Json, tmp_path: Path) -> None:
    form["credentials"]["authorization_url"] += "?tenant=acme"
    platform = Platform(SPECIFICATION["advanced_auth"], padded_challenge)
    address = platform.consent_url(form, REDIRECT)
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query, strict_parsing=True))
    assert query["tenant"] == "acme"
    assert query["response_type"] == "code"
    config = platform.complete(form, REDIRECT, click_through(address))
    assert '"SUCCEEDED"' in run_check(config, tmp_path)


def test_the_consent_asks_for_every_scope_in_old_and_new_platforms(form: Json) -> None:
    flow = SPECIFICATION["advanced_auth"]["oauth_config_specification"]
    templates = flow["oauth_connector_input_specification"]
    platform = Platform(SPECIFICATION["advanced_auth"], padded_challenge)
    query = urllib.parse.urlsplit(platform.consent_url(form, REDIRECT)).query
    assert dict(urllib.parse.parse_qsl(query))["scope"] == templates["scope"]


def test_the_refresh_token_is_worth_another(form: Json, tmp_path: Path, provider: Provider) -> None:
    platform = Platform(SPECIFICATION["advanced_auth"], padded_challenge)
    config = platform.complete(form, REDIRECT, click_through(platform.consent_url(form, REDIRECT)))
    provider.control("oauth", {"revoke": "access_tokens"})
    said = run_check(config, tmp_path)
    assert '"CONTROL"' in said
    assert '"SUCCEEDED"' in said


def test_consent_denied_comes_back_as_an_error(form: Json) -> None:
    platform = Platform(SPECIFICATION["advanced_auth"], padded_challenge)
    answer = click_through(platform.consent_url(form, REDIRECT), decision="deny")
    assert answer["error"] == "access_denied"
    assert answer["state"] == platform.state


@pytest.mark.parametrize("name", ["authorization_url", "token_url"])
def test_without_an_address_the_platform_says_so_before_anything_is_opened(form: Json, name: str) -> None:
    del form["credentials"][name]
    with pytest.raises(jsonschema.ValidationError, match=name):
        Platform(SPECIFICATION["advanced_auth"], padded_challenge).consent_url(form, REDIRECT)
