/** The pages that a person clicks through: who signs in, what is allowed, what went wrong. No script, no style sheet. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => ESCAPES[mark] ?? "");
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head>
<body><h1>${escape(title)}</h1>
${body}
</body></html>
`;
}

/** Asks which billing account is meant; there are no passwords here. */
export function loginPage(action: string, accounts: readonly string[]): string {
  const choices = accounts.map(
    (id, index) =>
      `<p><label><input type="radio" name="account" value="${escape(id)}"${index === 0 ? " checked" : ""}> ${escape(id)}</label></p>`,
  );
  return page(
    "Sign in to the reference provider",
    `<form method="post" action="${escape(action)}">
${choices.join("\n")}
<p><button type="submit" name="decision" value="login">Sign in</button>
<button type="submit" name="decision" value="deny">Cancel</button></p>
</form>`,
  );
}

/** Asks which scopes are granted; all are ticked. */
export function consentPage(
  action: string,
  clientId: string,
  account: string,
  scopes: readonly string[],
): string {
  const choices = scopes.map(
    (scope) =>
      `<p><label><input type="checkbox" name="scope" value="${escape(scope)}" checked> ${escape(scope)}</label></p>`,
  );
  return page(
    `Allow ${clientId} to read ${account}?`,
    `<form method="post" action="${escape(action)}">
${choices.join("\n")}
<p><button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button></p>
</form>`,
  );
}

/** Says why there is no way on. */
export function errorPage(error: string, description: string): string {
  return page("This did not work", `<p>${escape(error)}: ${escape(description)}</p>`);
}
