/** One defect and the test that finds it. */
export interface Mutant {
  /** The rule of SPEC.md that the defect breaks, such as `W1`. */
  readonly rule: string;
  /** The source file, from the root of the repository. */
  readonly file: string;
  /** The text that the defect replaces; it stands exactly once in the file. */
  readonly from: string;
  /** The text of the defect. */
  readonly to: string;
  /**
   * The one test that must fail: `path: title`, or `path: group > title` if the group has the rule in its title. A group
   * alone is not enough: another test of the group could fail, for a reason other than the defect.
   */
  readonly test: string;
}

/** The parts of {@link Mutant.test}; `group` is undefined if the test itself has the rule in its title. */
export function partsOf(test: string): {
  readonly file: string;
  readonly group: string | undefined;
  readonly title: string;
} {
  const [file = "", name = ""] = test.split(/: (.*)/s);
  const titles = name.split(" > ");
  return { file, group: titles.at(-2), title: titles.at(-1) ?? "" };
}
