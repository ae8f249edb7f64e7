/** V4: escapes the characters of JSON that some readers take for the end of a line. JSON.stringify does not escape them. */
export function onOneLine(json: string): string {
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
