/** The parts of a result, for tests. */
export async function partsOf(parts: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const part of parts) found.push(part);
  return found;
}
