/**
 * The parts list of the bundle (SBOM), in CycloneDX 1.6. It is made from the files that the bundler has read, not from the
 * dependencies of package.json: some of those are only for development, and the bundle holds parts of their dependencies.
 */
import * as z from "zod";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      license: z.string().optional(),
    }),
  ),
});

const productSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

interface Component {
  readonly type: "library" | "application";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
  readonly scope?: "required" | "optional";
}

interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

/** The folder of the package that a file belongs to, as the lock file names it; undefined for a file of this repository. */
const packageOf = (file: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

/**
 * The same files give the same list: it has no time and no number of its own.
 *
 * @param product package.json
 * @param files paths that the bundler has read, from the root of the repository
 * @param optional packages that the product uses where they are installed; they are not in the bundle
 * @throws TypeError if a package is not in the lock file with its version, license and hash
 */
export function sbomOf(
  product: unknown,
  {
    files,
    optional,
    lock,
  }: {
    readonly files: readonly string[];
    readonly optional: readonly string[];
    readonly lock: unknown;
  },
): Sbom {
  const { name, version, license } = productSchema.parse(product);
  const { packages } = lockSchema.parse(lock);
  const component = (path: string, scope: "required" | "optional"): Component => {
    const { version: found, integrity, license: terms } = packages[path] ?? {};
    const hash = /^sha512-(\S+)$/.exec(integrity ?? "")?.[1];
    if (found === undefined || terms === undefined || hash === undefined) {
      throw new TypeError(`package-lock.json has no version, license or hash of ${path}`);
    }
    const own = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return {
      type: "library",
      name: own,
      version: found,
      purl: purlOf(own, found),
      licenses: [{ expression: terms }],
      hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
      scope,
    };
  };
  const bundled = new Set(files.map(packageOf).filter((path) => path !== undefined));
  // Two packages may each have their own copy of a third one in the same version.
  const parts = [
    ...[...bundled].toSorted().map((path) => component(path, "required")),
    ...optional.map((each) => component(`node_modules/${each}`, "optional")),
  ];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name,
        version,
        purl: purlOf(name, version),
        licenses: [{ expression: license }],
      },
    },
    components: [...new Map(parts.map((part) => [part.purl, part])).values()],
  };
}
