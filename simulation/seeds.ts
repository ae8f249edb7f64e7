/**
 * The seeds of a test, as the environment asks for them: `SEED=n` replays one, `SEEDS=n` runs the first n, and `SEEDS=all` those that
 * CI runs. By default a few run, so that `npm test` takes minutes.
 */
export function seedsOf(
  { SEED, SEEDS }: Readonly<Record<string, string | undefined>>,
  { few, all }: { readonly few: number; readonly all: number },
): number[] {
  if (SEED !== undefined) return [Number(SEED)];
  const asked = SEEDS === "all" ? all : Number(SEEDS);
  return Array.from({ length: SEEDS === undefined ? few : asked }, (_, index) => index + 1);
}
