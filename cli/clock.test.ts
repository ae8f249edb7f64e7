import { expect, test, vi } from "vitest";
import { clock } from "./clock.ts";

test("C2: a machine's clock that is set during a run moves no instant", () => {
  const before = clock.now();
  expect(Number.isInteger(before)).toBe(true);
  const wall = Date.now();
  expect(Math.abs(wall - before)).toBeLessThan(3_600_000);
  for (const step of [-2, 2]) {
    vi.spyOn(Date, "now").mockReturnValue(wall + step * 86_400_000);
    const passed = clock.now() - before;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThan(86_400_000);
  }
  vi.restoreAllMocks();
});
