/** Values for wrong places, as JSON; decimals, instants and words without their quotes. */

/** Texts that readers often get wrong. */
export const TEXTS = [
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u2028\u2029\u0085"',
  '"\\u2028"',
  '"😀é"',
  '"\\ud83d\\ude00"',
  '"},{\\"a"',
  '"},{"',
  '"]"',
  `"${"x".repeat(300)}"`,
  '"NaN"',
  '"null"',
] as const;

/** Numbers that a double cannot hold, or that are not valid as a count. */
export const NUMBERS = [
  "0",
  "-0",
  "1",
  "1.50",
  "1e5",
  "1E-7",
  "1e400",
  "-1e400",
  "12345678901234567890.123456789",
  "9007199254740993",
  "-1",
  "17",
  "1000",
  "1001",
  "2.5",
] as const;

/** Valid and invalid decimals, instants and dates. */
export const DECIMALS = [
  "1.",
  ".5",
  "+1",
  "-",
  "01",
  "1e5",
  "-0",
  "1,5",
  "-0.00",
  "1.50",
  "9".repeat(60),
] as const;

export const INSTANTS = [
  "2026-01-31",
  "2026-02-30T00:00:00Z",
  "2026-01-01T00:00:00",
  "2026-01-01T00:00:00+01:00",
  "2026-01-01T00:00:00+00:00",
  "2026-01-01t00:00:00z",
  "2026-01-01T24:00:00Z",
  "2026-12-31T23:59:60Z",
  "2026-12-31T22:59:60Z",
  "2026-01-01T00:00:00.1234567Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2026-01-01 00:00:00Z",
  "2026-1-1T0:0:0Z",
  "2024-02-29T00:00:00Z",
  "2023-02-29",
  "1970-01-01T00:00:00-00:00",
] as const;

/** Values that are valid for other members. */
export const WORDS = [
  "1d",
  "1h",
  "final",
  "provisional",
  "incremental",
  "full_refresh",
  "usage",
  "costs",
] as const;

/** Names that readers often get wrong. */
export const NAMES = [
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"hasOwnProperty"',
  '"7"',
  '""',
  '"a.b/c~d"',
  '"\\ud800"',
  '"x_New"',
  '"x_ReadingId"',
  '"data"',
] as const;
