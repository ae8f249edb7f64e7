/**
 * The seeds of a test. `SEED=n` replays one, `SEEDS=all` runs all as CI does, and by default a few run, so that `npm test` takes
 * minutes.
 */
export function seedsOf({ few, all }: { readonly few: number; readonly all: number }): number[] {
  const { SEED, SEEDS } = process.env;
  if (SEED !== undefined) return [Number(SEED)];
  return Array.from({ length: SEEDS === "all" ? all : few }, (_, index) => index + 1);
}
