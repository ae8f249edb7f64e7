/** A person with a browser that knows only forms and cookies; for tests, here and of the connector. */

export interface Choices {
  /** Default: the first account of the page. */
  readonly account?: string;
  /** The scopes that stay ticked. Default: all. */
  readonly scopes?: readonly string[];
  /** Default: allow. */
  readonly decision?: "allow" | "deny";
}

/**
 * Opens an authorization address and clicks through login and consent.
 *
 * @returns the address of another origin to which the server finally redirects; it is not opened
 * @throws Error with the text of the page if a page has no form to submit
 */
export async function clickThrough(address: string, choices: Choices = {}): Promise<URL> {
  const cookies = new Map<string, string>();
  const open = async (url: URL, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const { origin } = new URL(address);
  let at = new URL(address);
  for (let form: URLSearchParams | undefined; ;) {
    const response = await open(at, form);
    const location = response.headers.get("location");
    const html = await response.text();
    if (location === null) {
      if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${html}`);
      form = filledIn(html, choices);
    } else {
      form = undefined;
      at = new URL(location, at);
      if (at.origin !== origin) return at;
    }
  }
}

function filledIn(html: string, { account, scopes, decision = "allow" }: Choices): URLSearchParams {
  const offered = [...html.matchAll(/name="account" value="([^"]+)"/g)].map(([, id = ""]) => id);
  const [first] = offered;
  if (first !== undefined) {
    return new URLSearchParams({ account: account ?? first, decision: "login" });
  }
  const form = new URLSearchParams({ decision });
  for (const [, scope = ""] of html.matchAll(/name="scope" value="([^"]+)"/g)) {
    if (scopes?.includes(scope) ?? true) form.append("scope", scope);
  }
  return form;
}
