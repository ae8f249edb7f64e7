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
  /** The test that must fail, as SPEC.md names it: `path: title`. */
  readonly test: string;
}
