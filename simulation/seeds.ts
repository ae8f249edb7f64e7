/**
 * The seeds of a test, as the environment asks for them: `SEED=n` replays one, `SEEDS=all` runs all as CI does. By default a few
 * run, so that `npm test` takes minutes.
 */
export function seedsOf(
  { SEED, SEEDS }: Readonly<Record<string, string | undefined>>,
  { few, all }: { readonly few: number; readonly all: number },
): number[] {
  if (SEED !== undefined) return [Number(SEED)];
  return Array.from({ length: SEEDS === "all" ? all : few }, (_, index) => index + 1);
}
