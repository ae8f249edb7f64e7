/** Colors and fonts of the charts: from page.css, and those that only charts need. */

export interface Theme {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly paper: string;
  readonly raised: string;
  readonly good: string;
  readonly bad: string;
  readonly sans: string;
}

/**
 * The palette of Observable's charts. People with any color vision can tell its colors apart, on light and dark
 * backgrounds.
 */
export const SERIES = [
  "#4269d0",
  "#efb118",
  "#ff725c",
  "#6cc5b0",
  "#3ca951",
  "#ff8ab7",
  "#a463f2",
  "#97bbf5",
] as const;

/** The color of all entries without their own color. */
export const OTHER = "#9a9a9f";

/** The colors of page.css in the current color scheme. */
export function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    line: of("line"),
    paper: of("paper"),
    raised: of("raised"),
    good: of("good"),
    bad: of("bad"),
    sans: of("sans"),
  };
}

/** The options that all charts share. */
export function basics({ ink, raised, line, sans }: Theme) {
  return {
    animation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    animationDuration: 500,
    useUTC: true,
    textStyle: { fontFamily: sans, fontSize: 12, color: ink },
    tooltip: {
      confine: true,
      backgroundColor: raised,
      borderColor: line,
      borderRadius: 8,
      padding: [10, 14],
      textStyle: { color: ink },
      extraCssText: "box-shadow: 0 6px 24px rgb(0 0 0 / 0.14)",
    },
  };
}

/** An axis in a quiet color. */
export function quietAxis({ soft, line }: Theme) {
  return {
    axisLine: { show: false, lineStyle: { color: line } },
    axisTick: { show: false, lineStyle: { color: line } },
    axisLabel: { color: soft, fontSize: 12 },
    splitLine: { lineStyle: { color: line } },
  };
}
