"""The part of the books that each team bears, calculated from their entries by the words of docs/shared_costs.md, without SQL."""

from collections import defaultdict
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

from ledger import UNIT, Books, Entry, Inputs

# More digits than a product of two amounts has.
EXACT = Context(prec=80, rounding=ROUND_HALF_UP)
TWELVE = Decimal("1e-12")


def rule_of(entry: Entry, rules: list[tuple]) -> tuple | None:
    """The rule with the lowest number that takes the entry. A rule is (number, label, value, method); in these tests it names a
    charge category or the costs that no team owns."""
    for rule in sorted(rules, key=lambda row: int(row[0])):
        label, value = rule[1:3]
        if (label == "unowned" and entry.team is None) or (label == "charge_category" and value == entry.owner.charge_category):
            return rule
    return None


def parts_of(amount: Decimal, method: str, own: dict[str, Decimal]) -> dict[str, Decimal]:
    weights = {team: Decimal(1) if method == "evenly" else spent for team, spent in own.items() if spent and (method == "evenly" or spent > 0)}
    if not weights:
        return {}
    whole = sum(weights.values())
    parts = {}
    for team, weight in weights.items():
        share = EXACT.divide(weight, whole)
        exact = EXACT.divide(amount, len(weights)) if method == "evenly" else EXACT.multiply(
            amount, share.quantize(TWELVE, ROUND_DOWN, EXACT))
        parts[team] = exact.quantize(UNIT, ROUND_HALF_UP, EXACT)
    first = min(weights, key=lambda team: (-weights[team], team))
    parts[first] += amount - sum(parts.values())
    return parts


def shares_of(books: Books) -> dict[tuple, tuple[Decimal, Decimal]]:
    """Own and shared costs by month, account, address, currency and team."""
    found: dict[tuple, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    for month, book in books.books.items():
        for key, amounts in of_month([entry for entry in books.entries() if entry.month == month], book.inputs).items():
            found[month, *key] = amounts
    return {key: tuple(amounts) for key, amounts in found.items() if any(amounts)}


def of_month(entries: list[Entry], inputs: Inputs) -> dict[tuple, list[Decimal]]:
    found: dict[tuple, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
    spent: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    pools: dict[tuple, Decimal] = defaultdict(Decimal)
    for entry in entries:
        place, currency = entry.owner[:2], entry.owner.billing_currency
        rule = rule_of(entry, inputs.get("shared", []))
        if rule:
            pools[*place, currency, entry.team, rule] += entry.amount
            continue
        found[*place, currency, entry.team][0] += entry.amount
        if entry.team:
            spent[currency][entry.team] += entry.amount
    for (account, url, currency, from_team, rule), amount in pools.items():
        parts = parts_of(amount, rule[3], spent[currency]) if amount else {}
        if not parts:
            found[account, url, currency, from_team][0] += amount
        for team, part in parts.items():
            found[account, url, currency, team][1] += part
    return found
