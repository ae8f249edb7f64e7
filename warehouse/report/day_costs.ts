/**
 * The costs of a value by day as one text, because a page has many of them: `1.25 3:7.5` is 1.25 on the first day and, after three days
 * without a cost, 7.5 on the fifth.
 */

/** The index of a day, and a decimal. */
type DayCost = readonly [day: number, cost: string];

/** The costs of a text, the oldest first. */
export function dayCosts(text: string): readonly DayCost[] {
  let next = 0;
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part): DayCost => {
      const [cost = "", skipped = "0"] = part.split(":").toReversed();
      const day = next + Number(skipped);
      next = day + 1;
      return [day, cost];
    });
}
