"""Questions of a finance team about spend: months, movers, anomalies. All figures are computed by hand.

The newest complete day is 9 November 2025, a Sunday; the 10th is in progress.
"""

from datetime import date
from decimal import Decimal

import pytest
from world import Table, World, at, cost

pytestmark = pytest.mark.together
MONTHS = [("08-01", "09-01"), ("09-01", "10-01"), ("10-01", "11-01"), ("11-01", "11-11")]
FINAL = {"x_CostStatus": "final"}


def day(text: str) -> date:
    return date.fromisoformat(f"2025-{text}")


def built(warehouse, table, records: list[dict], windows=MONTHS, account: str | None = None, now: str = "11-10 12:00") -> None:
    """Models over what one account shows."""
    world = World(table, account=account, now=at(now))
    for record in records:
        world.put(record)
    world.sync(*windows)
    warehouse.fill(table.tables)
    warehouse.build()


def one(warehouse, sql: str) -> dict:
    [row] = warehouse.all(sql)
    return row


def spend() -> list[dict]:
    return [
        cost("a", "10-02", "30", x_ModelId="m1", **FINAL),
        cost("b", "10-09", "20", x_ModelId="m1", **FINAL),
        cost("c", "10-20", "50", x_ModelId="m1", **FINAL),
        cost("d", "10-31", "7", x_ModelId="m2", **FINAL),
        cost("e", "11-01", "9", x_ModelId="m1", **FINAL),
        cost("f", "11-09", "18", x_ModelId="m1"),
        cost("g", "11-10", "5", x_ModelId="m1"),
        cost("h", "11-03", "1", x_ModelId="m3"),
        cost("plan", "11-01", "20", end="12-01", ChargeCategory="Purchase", **FINAL),
        cost("seat", "11-01", "6", end="12-01", x_ModelId="m4", **FINAL),
        cost("euro", "11-02", "2", x_ModelId="m1", BillingCurrency="EUR", **FINAL),
    ]


OCTOBER_ON = [("10-01", "11-01"), ("11-01", "11-11")]


def month_of(warehouse, model: str, month: str = "11", currency: str = "USD") -> dict:
    is_model = f"model_id = '{model}'" if model else "model_id is null"
    return one(warehouse, f"select * from monthly_costs where month = date '2025-{month}-01' and {is_model} "
               f"and billing_currency = '{currency}'")


def test_a_running_month_against_the_month_before(warehouse, table):
    built(warehouse, table, spend(), OCTOBER_ON)
    row = month_of(warehouse, "m1")
    assert row["is_running"] and row["through_day"] == day("11-09")
    assert (row["billed_cost"], row["previous_billed_cost"], row["change"]) == (32, 100, -68)
    assert row["change_share"] == Decimal("-0.68")
    # The 1st to the 9th of both months.
    assert (row["to_date_cost"], row["previous_to_date_cost"], row["change_to_date"]) == (27, 50, -23)
    assert row["provisional_cost"] == 23
    gone = month_of(warehouse, "m2")
    assert (gone["billed_cost"], gone["previous_billed_cost"], gone["change_share"]) == (0, 7, -1)
    assert gone["previous_to_date_cost"] == 0
    assert month_of(warehouse, "m1", currency="EUR")["billed_cost"] == 2


# The means of weekdays from 2 October, the first charge, to 9 November: Monday 51 / 5, Thursday 50 / 6, Friday 7 / 6, Saturday 9 / 6,
# Sunday 18 / 6. In parts of 10,000 of Monday: 8170, 1144, 1471 and 2941. All of November weighs 99,316, its first nine days 28,138.
def grown(amount: int) -> Decimal:
    return (amount * Decimal(99316) / Decimal(28138)).quantize(Decimal("1e-18"))


@pytest.mark.alone
def test_a_forecast_carries_usage_of_complete_days_on_by_weekdays(warehouse, table):
    built(warehouse, table, spend(), OCTOBER_ON)
    row = month_of(warehouse, "m1")
    # The 10th is not complete.
    assert row["forecast_cost"] == grown(9 + 18)
    assert row["forecast_method"] == (
        "usage charges of 9 complete days, the last of them day 9, carried on to 30 days by the weekdays of eight weeks; other charges once")
    assert (row["days_in_month"], row["days_counted"], row["days_incomplete"], row["days_not_proven"]) == (30, 9, 1, 1)
    assert row["days_provisional"] == 3  # the 3rd, 9th and 10th
    assert month_of(warehouse, "m3")["forecast_cost"] == grown(1)
    # A purchase, and usage that is charged by the month, are not extrapolated.
    assert month_of(warehouse, "")["forecast_cost"] == 20
    assert month_of(warehouse, "m4")["forecast_cost"] == 6


@pytest.mark.alone
def test_a_range_is_as_wide_as_weeks_differ(warehouse, table):
    built(warehouse, table, spend(), OCTOBER_ON)
    row = one(warehouse, "select * from month_forecasts where billing_currency = 'USD'")
    # Weeks up to 9 November: 19, 16, 50, 0 and 20; they differ by 3, 34, 50 and 20. 21 days are left, and one more counts.
    assert row["weekly_change"] == 50
    assert row["forecast_cost"] == grown(27) + grown(1) + 20 + 6
    assert f"{row['forecast_cost']:.6f}" == "124.828915"
    # Below it are 91.67, but 54 are spent already. Above it are 110.
    assert (row["to_date_cost"], row["forecast_low"], row["forecast_high"] - row["forecast_cost"]) == (54, 54, 110)


@pytest.mark.alone
def test_a_short_history_has_no_range(warehouse, table):
    # Three weeks differ twice.
    built(warehouse, table, [cost(f"{number}", f"{date.fromordinal(day('10-20').toordinal() + number):%m-%d}", "2") for number in range(21)])
    row = one(warehouse, "select * from month_forecasts")
    assert (row["forecast_cost"], row["forecast_low"], row["forecast_high"], row["weekly_change"]) == (60, None, None, None)


@pytest.mark.alone
@pytest.mark.parametrize(("through", "forecast", "words"), [
    ("11-02", None, "none: it needs 7 complete days, and 1 of this month is known"),
    ("11-07", None, "none: it needs 7 complete days, and 6 of this month are known"),
    ("11-08", 60, "usage charges of 7 complete days, the last of them day 7, carried on"),
])
def test_no_forecast_comes_before_seven_complete_days(warehouse, table, through, forecast, words):
    world = World(table)
    world.now = world.now.replace(day=int(through[3:]))
    for number in range(int(through[3:]) + 31):
        world.put(cost(f"{number}", f"{date.fromordinal(day('10-01').toordinal() + number):%m-%d}", "2", x_ProjectId="p1"))
    world.sync(("10-01", "11-01"), ("11-01", f"11-{int(through[3:]) + 1:02}"))
    warehouse.fill(table.tables)
    warehouse.give(teams=[("project_id", "p1", "Search")],
                   budgets=[("Search", "2025-11", "USD", "50"), ("Idle", "2025-11", "USD", "50"), ("", "2025-11", "USD", "50")])
    try:
        warehouse.build()
        row = one(warehouse, "select * from monthly_costs where is_running")
        budgets = warehouse.all("select * from budget_status")
    finally:
        warehouse.give()
    assert row["forecast_cost"] == forecast and row["forecast_method"].startswith(words)
    found = {row["team"]: (row["forecast_cost"], row["is_forecast_over"]) for row in budgets}
    verdict = None if forecast is None else True
    assert found == {"Search": (forecast, verdict), None: (forecast, verdict), "Idle": (None, None) if forecast is None else (0, False)}


def used(currency: str, first: str, last: str, **more) -> list[dict]:
    days = range(day(first).toordinal(), day(last).toordinal() + 1)
    return [cost(f"{currency}{number}", f"{date.fromordinal(number):%m-%d}", "100", BillingCurrency=currency, **more) for number in days]


@pytest.mark.alone
@pytest.mark.parametrize(("before", "first", "last", "forecast", "words"), [
    # Three days at 100 are known of November, so that nothing is said; from the seventh on, its days since the first one are carried on.
    ([], "11-07", "11-09", None, "none: it needs 7 complete days since the usage began, and 3 are known"),
    ([], "11-10", "11-10", None, "none: it needs 7 complete days since the usage began, and 0 are known"),
    ([], "11-03", "11-09", 2800, "usage charges of 7 complete days, the last of them day 9, carried on"),
    # It begins again: the pause of more than eight weeks says nothing.
    (["08-01"], "11-03", "11-09", 2800, "usage charges of 7 complete days, the last of them day 9, carried on"),
    # It stops: nobody knows whether it goes on.
    ([], "10-01", "11-02", None, "none: no usage was charged in the last 7 complete days or longer"),
])
def test_usage_that_begins_or_ends_in_the_month_is_carried_on_from_its_own_days(warehouse, table, before, first, last, forecast, words):
    records = [*used("USD", "10-01", "11-09"), *used("EUR", first, last), *(record for on in before for record in used("EUR", on, on))]
    built(warehouse, table, records)
    row = one(warehouse, "select * from monthly_costs where is_running and billing_currency = 'EUR'")
    assert (row["forecast_cost"], row["forecast_method"][:len(words)]) == (forecast, words)
    assert one(warehouse, "select forecast_cost from month_forecasts where billing_currency = 'USD'")["forecast_cost"] == 3000


@pytest.mark.alone
def test_usage_that_often_pauses_for_a_week_has_not_stopped(warehouse, table):
    built(warehouse, table, [record for on in ("10-01", "10-10", "10-20", "11-01") for record in used("USD", on, on)])
    assert month_of(warehouse, "")["forecast_cost"] is not None


@pytest.mark.alone
@pytest.mark.parametrize(("now", "coming"), [("11-10 12:00", 40 + 4), ("12-01 12:00", 0)])
def test_a_charge_that_comes_once_a_month_is_still_to_come_until_the_month_is_complete(warehouse, table, now, coming):
    monthly = {
        # Each has its day of the month, its category, and its amount in the months in which it came.
        "plan": ("15", "Purchase", {"09": "30", "10": "40"}),
        "tax": ("28", "Tax", {"09": "3", "10": "4"}),
        "came": ("02", "Purchase", {"09": "7", "10": "7", "11": "8"}),
        "new": ("20", "Purchase", {"10": "100"}),
        "ended": ("20", "Purchase", {"08": "200", "09": "200"}),
        "credit": ("20", "Credit", {"09": "-60", "10": "-60"}),
    }
    records = [
        cost(f"{name}-{month}", f"{month}-{on}", amount, ChargeCategory=category, SkuId=name)
        for name, (on, category, amounts) in monthly.items() for month, amount in amounts.items()
    ]
    built(warehouse, table, records, [*MONTHS[:3], ("11-01", "12-01")], now=now)
    # The plan and the tax of October, and what has come in November.
    assert one(warehouse, "select sum(forecast_cost) as usd from monthly_costs where is_running")["usd"] == coming + 8
    assert one(warehouse, "select sum(billed_cost) as usd from monthly_costs where is_running")["usd"] == 8


def test_a_closed_month_is_what_was_billed(warehouse, table):
    built(warehouse, table, spend(), OCTOBER_ON)
    row = month_of(warehouse, "m1", "10")
    assert not row["is_running"]
    assert (row["billed_cost"], row["forecast_cost"], row["days_counted"], row["days_in_month"]) == (100, 100, 31, 31)
    assert row["forecast_method"] == "the month is over: its billed cost"
    # September was never read: it is not known to have cost nothing.
    assert (row["previous_billed_cost"], row["change"], row["change_to_date"], row["previous_days_counted"]) == (None,) * 4


def test_a_month_before_that_is_known_and_empty_cost_nothing(warehouse, table):
    built(warehouse, table, spend())
    row = month_of(warehouse, "m1", "10")
    assert (row["previous_billed_cost"], row["change"], row["change_share"]) == (0, 100, None)
    assert row["previous_days_counted"] == 30


@pytest.mark.alone
def test_a_month_without_a_complete_day_has_no_forecast(warehouse, table):
    world = World(table)
    world.now = world.now.replace(day=1)
    world.put(cost("a", "10-31", "31"))
    world.put(cost("b", "11-01", "3"))
    world.sync(("10-01", "11-01"), ("11-01", "11-02"))
    warehouse.fill(table.tables)
    warehouse.build()
    rows = warehouse.all("select * from monthly_costs order by month")
    assert [(row["billed_cost"], row["is_running"], row["forecast_cost"]) for row in rows] == [(31, True, 31), (3, False, None)]
    assert rows[1]["forecast_method"] == "none: no day of the month is complete yet"


@pytest.mark.alone
def test_a_month_after_the_newest_complete_day_is_not_compared(warehouse, table):
    world = World(table)
    world.now = world.now.replace(day=1)
    world.put(cost("a", "10-31", "31"))
    world.put(cost("b", "11-01", "3"))
    world.sync(("10-01", "11-01"), ("11-01", "11-02"))
    warehouse.fill(table.tables)
    warehouse.build()
    row = one(warehouse, "select * from monthly_costs where month = date '2025-11-01'")
    assert (row["previous_billed_cost"], row["previous_to_date_cost"], row["change_to_date"]) == (31, None, None)
    team = one(warehouse, "select * from team_costs where month = date '2025-11-01'")
    assert (team["to_date_cost"], team["previous_to_date_cost"]) == (3, None)


def test_costs_too_large_to_be_multiplied_exactly_have_no_forecast(warehouse, table):
    built(warehouse, table, [cost(name, "11-01", "9999999999999.65", x_ModelId="m1") for name in "ab"], OCTOBER_ON)
    row = month_of(warehouse, "m1")
    assert (row["billed_cost"], row["forecast_cost"]) == (Decimal("19999999999999.30"), None)
    assert row["forecast_method"] == "none: the costs are too large to be multiplied exactly"


@pytest.mark.alone
def test_without_any_report_a_month_stands_on_the_newest_day(warehouse, table):
    world = World(table)
    world.put(cost("a", "11-05", "3"))
    world.sync(("11-01", "11-11"), lose_manifest=True)
    warehouse.fill(table.tables)
    warehouse.build()
    row = one(warehouse, "select * from monthly_costs")
    assert (row["through_day"], row["billed_cost"], row["forecast_cost"], row["days_counted"]) == (day("11-05"), 3, None, 0)


def mover(warehouse, comparison: str, label: str, value: str | None) -> dict:
    is_value = "value is null" if value is None else f"value = '{value}'"
    return one(warehouse, f"select * from cost_movers where comparison = '{comparison}' and label = '{label}' and {is_value} "
               "and billing_currency = 'USD'")


@pytest.mark.parametrize("comparison, periods, billed, previous, share", [
    ("month_to_date", ("11-01", "11-10", "10-01", "10-10"), 27, 50, "-0.46"),
    ("last_month", ("10-01", "11-01", "09-01", "10-01"), 100, 0, None),
    ("last_7_days", ("11-03", "11-10", "10-27", "11-03"), 18, 9, "1"),
    ("last_30_days", ("10-11", "11-10", "09-11", "10-11"), 77, 50, "0.54"),
])
def test_movers(warehouse, table, comparison, periods, billed, previous, share):
    built(warehouse, table, spend())
    row = mover(warehouse, comparison, "model_id", "m1")
    assert tuple(row[name] for name in ("period_start", "period_end", "previous_start", "previous_end")) == tuple(map(day, periods))
    assert (row["billed_cost"], row["previous_billed_cost"], row["change"]) == (billed, previous, billed - previous)
    assert row["change_share"] == (None if share is None else Decimal(share))


@pytest.mark.alone
def test_movers_rank_what_moved(warehouse, table):
    built(warehouse, table, spend())
    rows = warehouse.all("select value, change, rank_grown, rank_fallen from cost_movers where comparison = 'month_to_date' "
                         "and label = 'model_id' and billing_currency = 'USD' order by change desc")
    assert [(row["value"], row["change"], row["rank_grown"], row["rank_fallen"]) for row in rows] == [
        (None, 20, 1, None), ("m4", 6, 2, None), ("m3", 1, 3, None), ("m1", -23, None, 1)]
    # Each label shows the same money.
    sums = warehouse.all("select label, sum(change) as change from cost_movers where comparison = 'last_30_days' "
                         "and billing_currency = 'USD' group by label")
    assert len(sums) == 11 and {row["change"] for row in sums} == {Decimal(111 - 50)}


@pytest.mark.alone
def test_days_that_were_never_read_are_no_growth(warehouse, table):
    built(warehouse, table, used("USD", "10-10", "11-09"), [("10-01", "11-01"), ("11-01", "11-11")])
    found = {row["comparison"]: tuple(row[name] for name in ("days_known", "previous_days_known", "change", "change_share", "rank_grown"))
             for row in warehouse.all("select * from cost_movers where label = 'charge_category'")}
    assert found == {
        "month_to_date": (9, 9, 900, None, 1), "last_7_days": (7, 7, 0, 0, None),
        "last_month": (31, 0, None, None, None), "last_30_days": (30, 10, None, None, None)}


@pytest.mark.alone
def test_a_month_to_date_that_is_longer_than_the_month_before(warehouse, table):
    world = World(table)
    world.now = world.now.replace(month=4, day=1)
    world.put(cost("a", "02-28", "5"))
    world.put(cost("b", "03-30", "8"))
    world.sync(("02-01", "03-01"), ("03-01", "04-01"), ("04-01", "04-02"))
    warehouse.fill(table.tables)
    warehouse.build()
    row = mover(warehouse, "month_to_date", "account", None)
    assert (row["previous_end"], row["previous_billed_cost"], row["billed_cost"]) == (day("03-01"), 5, 8)
    row = one(warehouse, "select * from monthly_costs where is_running")
    assert (row["previous_to_date_cost"], row["to_date_cost"]) == (5, 8)


@pytest.mark.alone
def test_days_without_cost_are_days(warehouse, table):
    built(warehouse, table, [cost("a", "11-05", "3", x_ModelId="m1", x_WorkloadType="batch", SkuId="s", x_UsageType="input_tokens"),
                             cost("b", "11-06", "1", BillingCurrency="EUR")], [("11-01", "11-11")])
    rows = warehouse.all("select * from daily_costs where billing_currency = 'USD' order by day")
    assert [f"{row['day']:%d}" for row in rows] == [f"{number:02}" for number in range(1, 11)]
    assert [(row["billed_cost"], row["records"]) for row in rows] == [(0, 0)] * 4 + [(3, 1)] + [(0, 0)] * 5
    assert (rows[4]["workload_type"], rows[4]["sku_id"], rows[4]["usage_type"]) == ("batch", "s", "input_tokens")
    assert [row["day_status"] for row in rows] == ["proven"] * 9 + ["incomplete"]
    assert one(warehouse, "select count(*) as days from daily_costs where billing_currency = 'EUR'")["days"] == 10


def weekdays(first: str, amounts: list[str], **more) -> list[dict]:
    """A cost on a day and on each of the same weekdays before it, the newest first."""
    records = []
    for week, amount in enumerate(amounts):
        start = date.fromordinal(day(first).toordinal() - 7 * week)
        records.append(cost(f"{first}-{week}-{more}", f"{start:%m-%d}", amount, **more))
    return records


def anomaly(warehouse, label: str = "all", on: str = "11-03") -> dict:
    return one(warehouse, f"select * from cost_anomalies where label = '{label}' and day = date '2025-{on}'")


EIGHT = ["20", "40", "60", "50", "30", "40", "40", "40"]


def test_a_day_far_from_its_weekday(warehouse, table):
    built(warehouse, table, weekdays("11-03", ["100", *EIGHT], x_ModelId="m1"))
    row = anomaly(warehouse)
    # Sorted 20 30 40 40 40 40 50 60: the median is 40; the deviations 0 0 0 0 10 10 20 20 have the median 5.
    assert (row["billed_cost"], row["usual_cost"], row["usual_spread"], row["days_compared"]) == (100, 40, 5, 8)
    assert row["score"] == Decimal("8.093889") and (row["is_anomaly"], row["kind"]) == (True, "account")  # 60 / (1.4826 * 5)
    assert row["why"] == ("100.00 USD is 60.00 more than usual for a Monday: the median of the 8 before is 40.00, and half of "
                          "them are within 5.00 of it")
    assert anomaly(warehouse, "model_id")["value"] == "m1"
    assert anomaly(warehouse, "project_id")["value"] is None


def test_a_day_less_than_three_times_as_far_as_the_farthest_of_the_eight_is_no_anomaly(warehouse, table):
    built(warehouse, table, weekdays("11-03", ["99.99", *EIGHT]))
    row = anomaly(warehouse)
    assert row["score"] > 8 and (row["is_anomaly"], row["kind"], row["why"]) == (False, None, None)


def test_a_day_within_the_spread_of_its_weekday(warehouse, table):
    usual = ["10", "10", "10", "30", "30", "50", "50", "50"]
    built(warehouse, table, weekdays("11-03", ["134", *usual]))
    row = anomaly(warehouse)
    # The median is 30; the deviations 0 0 20 20 20 20 20 20 have the median 20.
    assert (row["usual_cost"], row["usual_spread"], row["days_compared"]) == (30, 20, 8)
    assert row["score"] == Decimal("3.507352") and row["is_anomaly"]  # 104 / 29.652
    built(warehouse, table, weekdays("11-03", ["133", *usual]))
    row = anomaly(warehouse)
    assert row["score"] == Decimal("3.473627") and not row["is_anomaly"] and row["why"] is None


def test_a_weekday_that_always_cost_the_same_has_a_floor(warehouse, table):
    built(warehouse, table, weekdays("11-03", ["13.49", *["10"] * 8]))
    assert (anomaly(warehouse)["score"], anomaly(warehouse)["is_anomaly"]) == (Decimal("3.49"), False)
    built(warehouse, table, weekdays("11-03", ["6.5", *["10"] * 8]))
    assert (anomaly(warehouse)["score"], anomaly(warehouse)["is_anomaly"]) == (Decimal("-3.5"), True)
    assert "6.50 USD is 3.50 less than usual for a Monday" in anomaly(warehouse)["why"]


def test_too_few_days_are_not_judged(warehouse, table):
    built(warehouse, table, weekdays("11-03", ["90", *["10"] * 7]))
    row = anomaly(warehouse)
    assert (row["days_compared"], row["usual_cost"], row["score"], row["own_days"], row["is_anomaly"]) == (7, 10, None, 7, False)


def daily(last: str, amounts: list[str], **more) -> list[dict]:
    """A cost on a day and on each day before it, the newest first."""
    days = [date.fromordinal(day(last).toordinal() - number) for number in range(len(amounts))]
    return [cost(f"{more}-{on:%m-%d}", f"{on:%m-%d}", amount, **more) for on, amount in zip(days, amounts)]


def of_key(warehouse, key: str) -> list[dict]:
    return warehouse.all(f"select * from cost_anomalies where value = '{key}' and is_anomaly order by day")


@pytest.mark.parametrize(("amount", "kinds"), [("21", ["label"]), ("10.9", [])])
def test_a_leaked_key_is_large_for_itself_though_small_for_the_account(warehouse, table, amount, kinds):
    """The key costs a thousandth of its account. Its day counts if it is above usual by a hundredth of the account's cost."""
    large = daily("11-09", ["999"] * 80, x_ApiKeyId="large")
    small = daily("11-09", [amount, amount, *["0.5", "1.5", "1"] * 26], x_ApiKeyId="small")
    built(warehouse, table, large + small)
    found = of_key(warehouse, "small")
    # The second large day costs no more than the first one, so it is not flagged.
    assert [row["kind"] for row in found] == kinds
    if kinds:
        [row] = found
        # 28 days: nine times 0.5, 1.5 and 1, and once more 0.5.
        assert (row["day"], row["own_usual_cost"], row["own_largest_cost"], row["own_days"]) == (
            day("11-08"), Decimal("0.982142857142857143"), Decimal("1.5"), 28)
        assert abs(row["score"]) < Decimal("3.5")  # no anomaly of the account
        assert row["why"] == ("21.00 USD is 20.02 more than its usual day: the mean of the 28 days with costs before is 0.9821, "
                              "and the largest of them 1.50")


@pytest.mark.parametrize(("amounts", "found"), [
    (["50", *["10"] * 8], ["11-09"]),  # five times the mean of eight days
    (["49.99", *["10"] * 8], []),
    (["50", *["10"] * 7], []),
    (["60", "30.01", *["8"] * 7], []),  # not twice the largest
])
def test_a_label_needs_eight_days_with_costs(warehouse, table, amounts, found):
    built(warehouse, table, daily("11-09", amounts, x_ApiKeyId="key"))
    assert [f"{row['day']:%m-%d}" for row in of_key(warehouse, "key")] == found


def test_a_new_key_or_model_with_real_spend_is_an_event_of_its_own(warehouse, table):
    usual = daily("11-09", ["100"] * 80, x_ApiKeyId="old", x_ModelId="old")
    new = daily("11-09", ["9", "9", "9", "1.99", "1"], x_ApiKeyId="new", x_ModelId="old")
    built(warehouse, table, [*usual, *new, cost("m", "11-04", "2", x_ModelId="first", x_ApiKeyId="old"),
                             cost("pennies", "11-05", "1.99", x_ModelId="pennies", x_ApiKeyId="old")])
    rows = warehouse.all("select * from cost_anomalies where kind = 'new' order by day")
    # Each new value is flagged once: on its first day that costs a fiftieth of what the account usually costs.
    assert [(f"{row['day']:%m-%d}", row["label"], row["value"]) for row in rows] == [
        ("11-04", "model_id", "first"), ("11-07", "api_key_id", "new")]
    assert rows[1]["why"] == ("9.00 USD is new: there was no charge from 2025-08-22 until 2025-11-05, and all costs of a Friday are usually 100.00")


def test_a_key_is_not_new_after_its_first_week_nor_in_a_new_account(warehouse, table):
    built(warehouse, table, [*daily("11-09", ["100"] * 8, x_ApiKeyId="first"), *daily("11-09", ["9", "9"], x_ApiKeyId="second")])
    assert of_key(warehouse, "second") == []
    late = daily("11-09", ["9", *["1"] * 7], x_ApiKeyId="late")
    built(warehouse, table, [*daily("11-09", ["100"] * 80, x_ApiKeyId="old"), *late])
    assert of_key(warehouse, "late") == []


def test_a_day_with_a_cost_that_cannot_be_summed_is_not_unusual(warehouse, table):
    records = daily("11-09", ["10"] * 80, x_ModelId="m1")
    built(warehouse, table, [{**records[0], "BilledCost": "1_000"}, *records[1:]])
    assert warehouse.all("select * from invalid_rows") != []
    assert warehouse.all("select * from cost_anomalies where day = date '2025-11-09' or is_anomaly") == []


def test_days_without_cost_are_compared_and_a_value_that_stopped_is_looked_at_for_a_week(warehouse, table):
    built(warehouse, table, weekdays("10-27", ["10"] * 8))
    assert anomaly(warehouse)["score"] == -10 and anomaly(warehouse)["is_anomaly"]
    rows = warehouse.all("select day, billed_cost, usual_cost from cost_anomalies where label = 'all' and day > date '2025-10-27' order by day")
    assert [f"{row['day']:%m-%d}" for row in rows] == ["10-28", "10-29", "10-30", "10-31", "11-01", "11-02", "11-03"]
    assert all(row["usual_cost"] == 0 for row in rows[:-1])


def test_purchases_and_days_in_progress_are_no_anomalies(warehouse, table):
    usual = weekdays("11-10", ["500", *["10"] * 9])
    built(warehouse, table, [*usual, cost("plan", "11-03", "900", end="12-01", ChargeCategory="Purchase")])
    assert warehouse.all("select * from cost_anomalies where is_anomaly") == []
    assert warehouse.all("select * from cost_anomalies where day = date '2025-11-10'") == []


@pytest.mark.alone
def test_amounts_that_are_beyond_any_bill_break_nothing(warehouse, table):
    huge = "9" * 13
    built(warehouse, table, [*weekdays("11-03", [huge, *["1"] * 8]), cost("second", "11-03", huge)])
    row = anomaly(warehouse)
    # The distance is too large for a score, but it is more than twice the largest day.
    assert (row["billed_cost"], row["score"], row["kind"]) == (2 * Decimal(huge), None, "label")
    assert one(warehouse, "select * from monthly_costs where is_running")["change_share"] is None


@pytest.mark.alone
def test_teams_are_a_label(warehouse, table):
    warehouse.give(teams=[("project_id", "p1", "Search")])
    try:
        built(warehouse, table, [*weekdays("11-03", ["100", *EIGHT], x_ProjectId="p1"),
                                 cost("other", "11-04", "7", x_ProjectId="p2")])
        assert mover(warehouse, "month_to_date", "team", "Search")["billed_cost"] == 100
        assert mover(warehouse, "month_to_date", "team", None)["billed_cost"] == 7
        assert (anomaly(warehouse, "team")["value"], anomaly(warehouse, "team")["is_anomaly"]) == ("Search", True)
    finally:
        warehouse.give()
