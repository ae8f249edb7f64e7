"""The figures of dbt/README.md about forecasts are those of the replay, and they are good enough."""

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


def test_real_spend_is_inside_the_range_as_often_as_it_says(spent):
    assert 70 <= replay.share_inside(spent) <= 90


def test_no_forecast_has_a_range_that_says_nothing(made):
    assert replay.width([forecast for forecast in made if forecast.days_known >= 14]) < 25


def test_the_figures_of_the_readme_are_those_of_the_replay(made, spent):
    assert "\n".join(replay.forecast_table(made, spent)) in README
