/** The pages for a person: sign-in, consent and errors. They have no script and no style sheet. */
import { escapeHtml } from "../html.ts";

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body></html>
`;
}

/** The page that asks for the billing account. There are no passwords. */
export function loginPage(action: string, accounts: readonly string[]): string {
  const choices = accounts.map(
    (id, index) =>
      `<p><label><input type="radio" name="account" value="${escapeHtml(id)}"${index === 0 ? " checked" : ""}> ${escapeHtml(id)}</label></p>`,
  );
  return page(
    "Sign in to the reference provider",
    `<form method="post" action="${escapeHtml(action)}">
${choices.join("\n")}
<p><button type="submit" name="decision" value="login">Sign in</button>
<button type="submit" name="decision" value="deny">Cancel</button></p>
</form>`,
  );
}

/** The page that asks for the granted scopes. All are ticked. */
export function consentPage(
  action: string,
  clientId: string,
  account: string,
  scopes: readonly string[],
): string {
  const choices = scopes.map(
    (scope) =>
      `<p><label><input type="checkbox" name="scope" value="${escapeHtml(scope)}" checked> ${escapeHtml(scope)}</label></p>`,
  );
  return page(
    `Allow ${clientId} to read ${account}?`,
    `<form method="post" action="${escapeHtml(action)}">
${choices.join("\n")}
<p><button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button></p>
</form>`,
  );
}

/** The page that names an error. */
export function errorPage(error: string, description: string): string {
  return page("This did not work", `<p>${escapeHtml(error)}: ${escapeHtml(description)}</p>`);
}
