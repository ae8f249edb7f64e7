/** The files that a run writes. Each replaces nothing, an empty file or a file of its own kind: any other one may be the only copy. */
import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf, reasonOf } from "../src/file_faults.ts";
import { INTERFACE } from "./report/report.ts";

/** The kinds of files, by their options. */
const OUTPUTS = ["html", "junit", "json", "state"] as const;
type OutputKind = (typeof OUTPUTS)[number];

/** The name of the interface, without its version. */
const ANY_VERSION = INTERFACE.replace(/[\d.]+$/, "");

/** How a file of each kind begins. */
const BEGINNINGS: Readonly<Record<OutputKind, RegExp>> = {
  html: /^<!doctype html>\n<html lang="en">\n<head>.*\n.*\n<title>Conformance of /,
  junit: new RegExp(
    `^<\\?xml version="1.0" encoding="UTF-8"\\?>\\n<testsuites name="${ANY_VERSION}`,
  ),
  json: new RegExp(`^\\{\\n {2}"interface": "${ANY_VERSION}`),
  state: /^\{"version":1,"base_url":"/,
};

/** The bytes that tell the kind of a file. */
const HEAD = 1024;

/** Every reason why a run could not write its files, or should not. */
export async function faultsOfOutputs(
  paths: Readonly<Partial<Record<OutputKind, string | undefined>>>,
): Promise<readonly string[]> {
  const named = OUTPUTS.flatMap((kind) => {
    const path = paths[kind];
    return path === undefined ? [] : [{ kind, path }];
  });
  const faults = await Promise.all(
    named.map(async ({ kind, path }, index) => {
      const isTwice = named.slice(0, index).some((other) => resolve(other.path) === resolve(path));
      const fault = isTwice ? "another option names it too" : await faultOf(kind, path);
      return fault === undefined ? [] : [`--${kind} cannot be written to ${path}: ${fault}`];
    }),
  );
  return faults.flat();
}

async function faultOf(kind: OutputKind, path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "it is a folder";
    await access(path, constants.W_OK);
    // A pipe or a device, such as /dev/stdout, holds nothing that could be lost.
    if (!stats.isFile() || stats.size === 0) return undefined;
    return BEGINNINGS[kind].test(await headOf(path))
      ? undefined
      : "it holds something else, and only a file of an earlier run is replaced";
  } catch (reason) {
    return codeOf(reason) === "ENOENT"
      ? await faultOfFolder(dirname(resolve(path)))
      : reasonOf(reason);
  }
}

async function faultOfFolder(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (reason) {
    return codeOf(reason) === "ENOENT" ? "there is no such folder" : reasonOf(reason);
  }
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
