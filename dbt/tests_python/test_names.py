"""Names of projects, workspaces and API keys: the models show them, and never two values as one."""

from datetime import date

from world import Table, World, cost

KEYS = ("a", "b", "c", "d", "e", "f")


def name(label: str, value: str, shown: str | None, read_at: str = "2025-11-01T00:00:00Z", archived: bool = False) -> dict:
    return {"id": f"{label}:{value}", "label": label, "value": value, "name": shown, "is_archived": archived, "read_at": read_at}


NAMES = [
    name("project", "p1", "Old name"),
    name("project", "p1", "Search", "2025-11-02T00:00:00.001Z"),
    name("api_key", "a", "ci"),
    name("api_key", "b", "ci"),
    name("api_key", "c", "Deploy"),
    # Three keys: the name of one is the id of another key, the name of one looks like a name with an id, and one has no name.
    name("api_key", "d", "c"),
    name("api_key", "e", "ci (a)"),
    name("workspace", "w1", "Team (old)"),
    name("api_key", "unused", "Unused", archived=True),
    name("api_key", "f", None),
    name("user", "u1", "Jane"),
]


def built(warehouse, names: list[dict]) -> None:
    table = Table()
    world = World(table)
    for index, key in enumerate(KEYS):
        world.put(cost(f"r{key}", f"11-0{index + 1}", "1", x_ProjectId="p1", x_ApiKeyId=key))
    world.put(cost("none", "11-09", "1"))
    world.sync(("11-01", "11-11"))
    warehouse.fill({**table.tables, "labels": names})
    warehouse.build()


def test_daily_costs_show_names_and_tell_equal_ones_apart(warehouse):
    built(warehouse, NAMES)
    rows = warehouse.all("select * from daily_costs where records > 0")
    assert {row["api_key_id"]: row["api_key_name"] for row in rows} == {
        "a": "ci (a)", "b": "ci (b)", "c": "Deploy", "d": "c (d)", "e": "ci (a) (e)", "f": "f", None: None,
    }
    assert {row["project_name"] for row in rows if row["project_id"]} == {"Search"}
    assert len(rows) == len(KEYS) + 1 and sum(row["billed_cost"] for row in rows) == len(KEYS) + 1


def test_label_names_say_when_a_value_was_seen(warehouse):
    built(warehouse, NAMES)
    rows = {(row["label"], row["value"]): row for row in warehouse.all("select * from label_names")}
    assert set(rows) == {("project_id", "p1"), ("api_key_id", "unused"), ("workspace_id", "w1"), *(("api_key_id", key) for key in KEYS)}
    project = rows["project_id", "p1"]
    assert (project["name"], project["shown"], project["is_archived"]) == ("Search", "Search", False)
    assert (project["first_seen"], project["last_seen"]) == (date(2025, 11, 1), date(2025, 11, 6))
    assert rows["workspace_id", "w1"]["shown"] == "Team (old)"
    unused = rows["api_key_id", "unused"]
    assert (unused["is_archived"], unused["first_seen"], unused["last_seen"]) == (True, None, None)


def test_without_names_the_ids_stand(warehouse):
    built(warehouse, [])
    rows = warehouse.all("select * from daily_costs where records > 0 and api_key_id is not null")
    assert all(row["api_key_name"] == row["api_key_id"] for row in rows)
    assert {row["shown"] for row in warehouse.all("select shown from label_names")} == {*KEYS, "p1"}
