"""Companies whose page was once wrong: accounts in different months, a month before that was not read, credits, keys.

Each test makes the company, lets `source-ai-billing report` write its page from a DuckDB file, and reads the words of the page.
"""

import html
import json
import re
from decimal import Decimal

import pytest
from test_report import report
from warehouses import ROOT, DuckDB
from world import DAY, Table, World, at, cost


def spend(world: World, start: str, end: str, amount: str, name: str = "a", **more) -> None:
    """A cost on each day, `end` exclusive."""
    day = at(start)
    while day < at(end):
        on = f"{day:%m-%d}"
        world.put(cost(f"{world.account}-{name}-{on}", on, amount, **{"x_ModelId": "m1", **more}))
        day += DAY


def account(table: Table, name: str, through: str) -> World:
    """An account that is read at noon of the day after its last complete one."""
    world = World(table, account=name)
    world.now = at(f"{through} 12:00") + DAY
    return world


def read(world: World, since: str) -> None:
    """Reads month by month until today."""
    start, end = at(since), world.now.replace(hour=0, minute=0) + DAY
    while start < end:
        following = min((start.replace(day=1) + 32 * DAY).replace(day=1), end)
        world.sync((f"{start:%m-%d}", f"{following:%m-%d}"))
        start = following


class Page:
    def __init__(self, table: Table, folder, **inputs):
        path = folder / "raw.duckdb"
        warehouse = DuckDB(path=str(path))
        warehouse.create_raw()
        warehouse.fill(table.tables)
        warehouse.give(**inputs)
        warehouse.close()
        ended = report("--database", str(path), folder=folder)
        assert ended.returncode == 0, ended.stderr
        document = (folder / "report.html").read_text()
        body, data = re.split(r'<script type="application/json" id="data">', document)
        visible = re.sub(r"<style>.*?</style>|<[^>]+>", " ", body, flags=re.DOTALL)
        self.words = re.sub(r"\s+", " ", html.unescape(visible)).replace(" ,", ",")
        [self.view] = json.loads(data.split("</script>")[0])["views"]
        self.head = self.view["headline"]

    def change(self) -> Decimal:
        compared = self.head["comparison"]
        return Decimal(compared["billed"]) - Decimal(compared["previous"])

    def parts(self) -> dict[str, Decimal]:
        return {part["names"][0]: Decimal(part["change"]) for part in self.view["moves"]["parts"]}


@pytest.fixture
def table() -> Table:
    return Table()


def test_one_day_holds_for_accounts_in_different_months(table, tmp_path):
    """November has begun for one account only: October is compared with September, as a whole."""
    first, second = account(table, "ahead", "11-02"), account(table, "late", "10-31")
    spend(first, "09-01", "11-04", "10")
    spend(second, "09-01", "11-01", "20")
    read(first, "09-01")
    read(second, "09-01")
    page = Page(table, tmp_path)
    assert "October: 930.00 USD, +3% against the month before" in page.words
    assert "Complete through October 31, 2025, day 31 of 31." in page.words
    assert "Month before, all 30 days 900.00 USD" in page.words
    assert "ends with the newest complete day of late; later complete days of other accounts, 20.00 USD after Oct 31" in page.words
    assert "so far" not in page.words and "Forecast of the month" not in page.words
    assert page.parts() == {"model m1": page.change()} and page.change() == 30


def test_one_day_holds_for_accounts_that_are_a_day_apart(table, tmp_path):
    first, second = account(table, "one", "11-18"), account(table, "two", "11-17")
    for world in (first, second):
        spend(world, "10-01", "11-20", "10")
        read(world, "10-01")
    page = Page(table, tmp_path, teams=[("project_id", "p1", "Search")])
    assert (page.head["throughDay"], page.head["toDate"]) == ("2025-11-17", "340")
    assert "±0% against the month before" in page.words
    assert page.head["ahead"] == {"names": ["two"], "billed": "10"}
    [team] = page.view["teams"]
    assert team["billed"] == "340"


def test_the_sums_of_several_accounts_are_those_of_the_page_that_explains_them(table, tmp_path):
    """docs/sums.md, "Several accounts": its company, its queries and its table."""
    for name, through in (("one", "11-18"), ("two", "11-17")):
        world = account(table, name, through)
        spend(world, "10-01", "11-20", "10")
        read(world, "10-01")
    section = (ROOT / "docs/sums.md").read_text().split("## Several accounts")[1].split("\n## ")[0]
    queries = re.findall(r"^-- (\d+)\n(SELECT .*);$", section, flags=re.MULTILINE)
    page = Page(table, tmp_path)
    warehouse = DuckDB()
    warehouse.create_raw()
    warehouse.fill(table.tables)
    warehouse.build()
    assert [[int(sum_) for sum_ in warehouse.all(sql)[0].values()] for _, sql in queries] == [[int(amount)] for amount, _ in queries]
    warehouse.close()
    assert re.findall(r"\| (\d+) \|$", section, flags=re.MULTILINE) == [amount for amount, _ in queries]
    assert page.head["toDate"] == queries[2][0]
    assert page.head["ahead"] == {"names": ["two"], "billed": "10"}


def test_an_account_far_behind_leaves_the_comparisons_and_is_named(table, tmp_path):
    first, second = account(table, "good", "11-18"), account(table, "stuck", "11-05")
    for world in (first, second):
        spend(world, "10-01", "11-20", "10")
        read(world, "10-01")
    page = Page(table, tmp_path)
    assert page.head["throughDay"] == "2025-11-18"
    assert page.head["comparison"] == {"billed": "180", "previous": "180", "isWhole": True, "days": 18, "previousDays": None}
    assert "±0% against the month before, without stuck" in page.words
    assert "180.00 this month, without stuck: 0.00" in page.words
    # 31 days of October, five complete ones of November, and the 6th as far as it was read.
    assert "stuck is complete through November 5, 2025 only: its 370.00 USD of October 2025 and since are not compared." in page.words
    assert "Forecast of the month none stuck is behind" in page.words


def test_a_month_before_of_which_a_part_was_read_is_compared_on_that_part(table, tmp_path):
    world = account(table, "new", "11-17")
    spend(world, "10-01", "11-01", "10")
    spend(world, "11-01", "11-19", "12")
    read(world, "10-15")
    page = Page(table, tmp_path)
    assert "November so far: 204.00 USD, +20% against the month before on the 3 days that were read in both months" in page.words
    assert "36.00 this month on the 3 days that were read in both months: +6.00, +20%" in page.words
    assert page.parts() == {"model m1": 6}


def test_a_month_before_that_was_not_read_is_not_compared(table, tmp_path):
    world = account(table, "new", "11-17")
    spend(world, "10-01", "11-19", "10")
    read(world, "11-01")
    page = Page(table, tmp_path)
    assert "170.00 USD, not compared, because the month before was not read on these days" in page.words
    assert "Month before not read" in page.words
    assert page.head["comparison"] is None and page.view["moves"] is None
    assert "from 0.00" not in page.words


def test_parts_with_and_without_a_label_add_up_to_the_change(table, tmp_path):
    world = account(table, "one", "11-17")
    spend(world, "10-01", "11-19", "10")
    for number in range(9):
        spend(world, "11-02", "11-03", f"{number + 1}", name=f"n{number}", x_ModelId=f"n{number}")
    credit = {"x_ModelId": None, "ChargeCategory": "Credit"}
    world.put(cost("credit", "11-03", "-516.76", **credit))
    world.put(cost("tax", "11-04", "7", x_ModelId=None, ChargeCategory="Tax"))
    read(world, "10-01")
    page = Page(table, tmp_path)
    assert page.change() == Decimal("-464.76")
    assert sum(page.parts().values()) == page.change()
    assert page.parts()["no model (Credit)"] == Decimal("-516.76")
    assert page.parts()["no model (Tax)"] == 7
    assert page.parts()["the 3 others"] == 6
    assert "All costs −464.76" in page.words


def test_an_account_without_cost_for_two_months_stands_in_its_month(table, tmp_path):
    world = account(table, "quiet", "11-17")
    spend(world, "07-01", "09-10", "10")
    world.put(cost("odd", "09-09", "900", x_ModelId="m1"))
    read(world, "07-01")
    page = Page(table, tmp_path)
    assert "November so far: 0.00 USD, after 0.00 USD in the month before" in page.words
    assert "Complete through November 17, 2025, day 17 of 30." in page.words
    assert page.view["anomalies"]["found"] == []
    assert "The last five weeks have no usage charges to judge." in page.words


@pytest.mark.parametrize(
    ("since", "words"),
    [
        ("11-10", "The history is too short to judge a day: it needs eight days to compare with."),
        ("11-09", "No day of the last five weeks is far from its usual cost, among the 5 of 45 values"),
    ],
)
def test_a_short_history_is_said_to_be_short(table, tmp_path, since, words):
    """Eight days with costs before are enough to judge a label, not to judge a weekday of the account."""
    world = account(table, "new", "11-17")
    spend(world, since, "11-19", "10")
    read(world, since)
    page = Page(table, tmp_path)
    assert words in page.words
    assert ("No day of the last five weeks" in page.words) == (since == "11-09")


def test_a_long_history_without_costs_is_not_called_short(table, tmp_path):
    world = account(table, "seldom", "11-17")
    world.put(cost("first", "09-01", "1", x_ModelId="m1"))
    world.put(cost("last", "11-16", "1", x_ModelId="m1"))
    read(world, "07-01")
    words = Page(table, tmp_path).words
    assert "No day can be judged: each has too short a history, or a weekday that usually costs nothing." in words


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("none", "No complete day was read again in the last five weeks."),
        ("unchanged", "No complete day changed: each reading of the last five weeks returned the rows of the one before."),
        ("rewritten", "No change of an amount is known, but rows of complete days were written again"),
    ],
)
def test_no_change_is_claimed_only_if_the_readings_prove_it(tmp_path, then, words):
    """A table in dedup mode forgets the amount that a restated record had."""
    table = Table(dedup=True)
    world = account(table, "one", "11-17")
    spend(world, "10-01", "11-19", "10")
    read(world, "10-01")
    if then == "rewritten":
        world.put(cost("one-a-11-05", "11-05", "11", x_ModelId="m1"))
    if then != "none":
        read(world, "10-01")
    page = Page(table, tmp_path)
    assert page.view["changes"] == {"found": [], "rest": None, "reread": then}
    assert words in page.words


def test_each_key_has_a_line_and_an_amount_of_its_own(table, tmp_path):
    world = account(table, "one", "11-17")
    spend(world, "10-01", "11-19", "10", x_ApiKeyId="old")
    for key in ("new-00", "new-01"):
        spend(world, "11-02", "11-03", "595", name=key, x_ApiKeyId=key)
    read(world, "10-01")
    page = Page(table, tmp_path)
    assert page.words.count("+595.00 from 0.00") == 2
    assert "·" not in page.words.split("What moved")[1].split("Unusual days")[0]


def test_a_key_of_this_week_does_not_hide_behind_keys_of_earlier_months(table, tmp_path):
    world = account(table, "one", "11-17")
    for number in range(70):
        spend(world, "08-01", "08-02", "900", name=f"k{number}", x_ApiKeyId=f"old-{number}")
    spend(world, "11-16", "11-18", "5", name="leak", x_ApiKeyId="leak")
    read(world, "08-01")
    page = Page(table, tmp_path)
    [keys] = [dimension for dimension in page.view["dimensions"] if "leak" in dimension["values"]]
    assert "all others" in keys["values"] and "old-69" not in keys["values"]


@pytest.mark.parametrize(("through", "forecast"), [("11-01", None), ("11-06", None), ("11-07", "600")])
def test_no_verdict_comes_before_seven_complete_days(table, tmp_path, through, forecast):
    world = account(table, "one", through)
    spend(world, "10-01", "11-20", "20")
    read(world, "10-01")
    page = Page(table, tmp_path, budgets=[("", "2025-11", "USD", "300")])
    assert page.head["forecast"] == page.head["budget"]["forecast"] == forecast
    if forecast is None:
        assert "on course" not in page.words
        assert "Forecast of the month none it needs 7 complete days, and" in page.words
    else:
        assert "on course to exceed the budget by 100%" in page.words


def test_teams_over_their_budgets_come_before_the_whole(table, tmp_path):
    world = account(table, "one", "11-17")
    teams, budgets = [], [("", "2025-11", "USD", "99999")]
    for number in range(40):
        # Nine teams spend 2.00 a day of a budget of 50.
        spend(world, "10-01", "11-20", "2" if number < 9 else "1", name=f"p{number}", x_ProjectId=f"p{number}")
        teams.append(("project_id", f"p{number}", f"Team {number:02}"))
        budgets.append((f"Team {number:02}", "2025-11", "USD", "50"))
    read(world, "10-01")
    page = Page(table, tmp_path, teams=teams, budgets=budgets)
    named = "9 of 40 teams with a budget are on course to exceed their budgets: Team 00, Team 01, Team 02 and 6 more"
    assert f"; {named}; all costs are on course to stay within the budget" in page.words


def test_a_month_that_is_over_is_not_so_far_and_has_no_forecast(table, tmp_path):
    world = account(table, "one", "10-31")
    spend(world, "09-01", "11-02", "1333.241", x_ModelId="m1")
    read(world, "09-01")
    page = Page(table, tmp_path, budgets=[("", "2025-10", "USD", "40000")])
    assert "October: 41,330.47 USD, +3% against the month before; it exceeded the budget by 3%" in page.words
    assert "so far" not in page.words and "Forecast" not in page.words
    assert page.head["daysProvisional"] == 31  # November 1 is not in the sum
