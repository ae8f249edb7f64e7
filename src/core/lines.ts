/** V4: JSON in which what some readers take for the end of a line is escaped; JSON.stringify leaves it as it is. */
export function onOneLine(json: string): string {
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
