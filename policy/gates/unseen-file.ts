import type { Gate } from "../pack/gate.ts";
import type { Resource, Value } from "../pack/resource.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isValues } from "../reading/sources.ts";

/** Which property of a resource names a file. */
const SOURCES: ReadonlyArray<readonly [type: string, property: string]> = [
  ["command:remote:CopyToRemote", "source"],
  ["command:remote:CopyFile", "localPath"],
  ["proxmoxve:index/fileLegacy:FileLegacy", "sourceFile"],
];

/** Advice: no file goes to the guest that the gates cannot look into. */
export const unseenFile: Gate = {
  id: "unseen-file",
  title: "Unseen file",
  level: "advisory",
  reason: "The engine hands a policy pack only the name of a file, so no gate has looked into it.",
  remediation:
    'Hand the text over: `new pulumi.asset.StringAsset(readFileSync(PATH, "utf8"))`, or sourceRaw.data for a snippet.',
  check: (resource) =>
    SOURCES.filter(([type]) => type === resource.type).flatMap(([, at]) => {
      const source = resource.props[at];
      if (source === undefined || source === UNKNOWN || (isValues(source) && "text" in source)) return [];
      const path = pathOf(source);
      return isDiskImage(resource, path)
        ? []
        : [{ at, value: path, message: "is a file whose content the gates do not see" }];
    }),
};

/** An asset's or a snippet's path; an archive of several assets has none. */
const pathOf = (source: Value): Value =>
  isValues(source) ? (source["path"] ?? source["uri"] ?? "an archive") : source;

/** A disk image is no text. Without a content type the provider goes by the file's name. */
function isDiskImage({ props }: Resource, path: Value): boolean {
  const { contentType } = props;
  return contentType === undefined
    ? typeof path === "string" && /\.(iso|img|qcow2|raw)$/.test(path)
    : contentType === "import" || contentType === "iso" || contentType === "vztmpl";
}
