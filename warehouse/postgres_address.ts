/** Addresses of PostgreSQL databases on the command line. */

export const isPostgres = (database: string): boolean => /^postgres(ql)?:/i.test(database);

/** Whether a place has a password: an address with one, or a connection string. All users of a machine see its command lines. */
export function hasPassword(database: string): boolean {
  if (/\bpassword\s*=/i.test(database)) return true;
  const [authority = ""] = /(?<=^[a-z][\w+.-]*:\/\/).*/is.exec(database) ?? [];
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf("@")));
  return user.includes(":");
}
