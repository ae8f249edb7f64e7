/** Addresses of PostgreSQL databases on the command line. */

export const isPostgres = (database: string): boolean => /^postgres(ql)?:/i.test(database);

/** The passwords of an address, as they stand there and as a server gets them. */
export function passwordsIn(address: string): readonly string[] {
  const [, ...inUser] = userOf(address).split(":");
  const inQuery = [...address.matchAll(/[?&]password=([^&#]*)/gi)].map(([, value = ""]) => value);
  const given = [inUser.join(":"), ...inQuery].filter((value) => value !== "");
  return given.flatMap((value) => [value, decoded(value)]);
}

/** A text without its percent signs; the text itself if they are no escapes. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Whether a place has a password: an address with one, or a connection string. All users of a machine see its command lines. */
export function hasPassword(database: string): boolean {
  if (/\bpassword\s*=/i.test(database)) return true;
  return userOf(database).includes(":");
}

/** The part of an address with the user and the password. A password may hold any character, so it ends at the last `@`. */
function userOf(address: string): string {
  const [authority = ""] = /(?<=^[a-z][\w+.-]*:\/\/).*/is.exec(address) ?? [];
  return authority.slice(0, Math.max(0, authority.lastIndexOf("@")));
}
