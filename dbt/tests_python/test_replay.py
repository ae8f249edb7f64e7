"""The figures of dbt/README.md about forecasts and anomalies are those of the replay, and they are good enough."""

import sys

import pytest
from warehouses import PACKAGE

sys.path.insert(0, str(PACKAGE))
import replay  # noqa: E402

README = (PACKAGE / "README.md").read_text()


@pytest.fixture(scope="module")
def made():
    return replay.forecasts(list(replay.made_up()))


@pytest.fixture(scope="module")
def spent():
    return replay.forecasts([replay.real()])


@pytest.mark.parametrize(("first", "last"), [*replay.SPANS, (7, 30)])
def test_the_end_of_a_month_is_inside_the_range_as_often_as_it_says(made, first, last):
    assert 70 <= replay.share_inside([forecast for forecast in made if first <= forecast.days_known <= last]) <= 90


@pytest.mark.parametrize(("first", "last"), [*replay.SPANS[:-1], (7, 30)])
def test_real_spend_is_inside_the_range_as_often_as_it_says(spent, first, last):
    """The last span is left out: a month of bursts rarely has new costs in its last days, so the range is right too often."""
    assert 70 <= replay.share_inside([forecast for forecast in spent if first <= forecast.days_known <= last]) <= 90


def test_no_forecast_has_a_range_that_says_nothing(made):
    assert replay.width([forecast for forecast in made if forecast.days_known >= 14]) < 25


def test_the_figures_of_the_readme_are_those_of_the_replay(made, spent):
    assert "\n".join(replay.forecast_table(made, spent)) in README


@pytest.fixture(scope="module")
def alarms():
    return [replay.false_alarms(deviation) for deviation in replay.NOISES]


def test_noise_is_seldom_flagged(alarms):
    for found in alarms:
        assert max(found.of_all, found.by_account) <= (0.5 if found.deviation <= 0.3 else 2.5)
        assert found.by_label <= 0.2


def test_the_false_alarms_of_the_readme_are_those_of_the_replay(alarms):
    assert "\n".join(replay.alarm_table(alarms)) in README


@pytest.mark.parametrize("deviation", [0.1, 0.2, 0.3])
def test_a_leaked_key_is_found_in_noise(deviation):
    """The fourth key costs 4 % of its account. On the newest day it costs 21 times as much."""
    rows = [
        (account, key, day, amount * 21 if (key, day) == ("k3", replay.NOISY[-1]) else amount)
        for account, key, day, amount in replay.noise(deviation, accounts=10)
    ]
    found = replay.anomalies(rows).execute(
        "select count(*) from cost_anomalies where value = 'k3' and day = ? and is_anomaly", [replay.NOISY[-1]]
    )
    assert found.fetchone() == (10,)
