/** Errors of the file system and of connections in words. The codes of the system mean nothing to most people. */

/** The codes, each with the end of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EADDRINUSE: "another program uses this port",
  EBUSY: "it is in use, or mounted without its folder: mount the folder instead",
  ECONNREFUSED: "nothing listens at this address: the connection was refused",
  ECONNRESET: "the connection was reset",
  EEXIST: "there is one already",
  EFBIG: "it would be larger than this user's files may be",
  EHOSTUNREACH: "the host cannot be reached",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that leads to itself",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENETUNREACH: "the network cannot be reached",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  ENOTEMPTY: "it is not empty",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host could not be resolved for now",
  EPERM: "this user has no permission",
  EPIPE: "the connection was closed",
  EROFS: "the disk may only be read",
  ETIMEDOUT: "no answer came in time",
  EDQUOT: "this user's share of the disk is used up",
};

/** The code of a system's error; `unknown` for every other value. */
export const codeOf = (reason: unknown): string =>
  typeof reason === "object" && reason !== null && "code" in reason
    ? String(reason.code)
    : "unknown";

/** The reason of a system's error in words, as the end of a sentence. An error that is not known here keeps its code. */
export const reasonOf = (reason: unknown): string =>
  REASONS[codeOf(reason)] ?? `the system says ${codeOf(reason)}`;
