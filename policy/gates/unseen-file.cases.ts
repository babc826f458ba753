import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

const copy = (source: unknown, key = "source", type = "command:remote:CopyToRemote"): Case["resources"] => [
  { type, name: "copy", props: { [key]: source, remotePath: "/etc/hermes" } },
];
const snippet = (props: Readonly<Record<string, unknown>>): Case["resources"] => [
  { type: "proxmoxve:index/fileLegacy:FileLegacy", name: "file", props },
];

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "a text", resources: copy({ text: "LLMNR=no\n" }) },
    { title: "a text that is not known yet", resources: copy({ text: unknown }) },
    { title: "a source that is not known yet", resources: copy(unknown) },
    { title: "a copy without a source", resources: copy(undefined) },
    {
      title: "a snippet's text",
      resources: snippet({ contentType: "snippets", sourceRaw: { data: "#cloud-config\n" } }),
    },
    ...["import", "iso", "vztmpl"].map((contentType) => ({
      title: `a disk image, by the content type ${contentType}`,
      resources: snippet({ contentType, sourceFile: { path: "debian-13" } }),
    })),
    ...["iso", "img", "qcow2", "raw"].map((ending) => ({
      title: `a disk image, by the ending ${ending}`,
      resources: snippet({ sourceFile: { path: `debian-13.${ending}` } }),
    })),
    { title: "another resource with a source", resources: copy("./hermes.service", "source", "x:y:Z") },
  ],
  refuses: [
    {
      title: "a file",
      resources: copy({ path: "./hermes.service" }),
      says: [
        'copy: source is "./hermes.service", which is a file whose content the gates do not see.',
        "StringAsset",
      ],
    },
    {
      title: "a file from elsewhere",
      resources: copy({ uri: "https://example.com/setup.sh" }),
      says: ['"https://example.com/setup.sh"'],
    },
    {
      title: "an archive of several assets",
      resources: copy({ assets: {} }),
      says: ['source is "an archive"'],
    },
    {
      title: "a copy by its path",
      resources: copy("./hermes.service", "localPath", "command:remote:CopyFile"),
      says: ['copy: localPath is "./hermes.service"'],
    },
    {
      title: "a secret path",
      resources: copy(secret("./hermes.service"), "localPath", "command:remote:CopyFile"),
    },
    {
      title: "a snippet's file",
      resources: snippet({ contentType: "snippets", sourceFile: { path: "vendor-data.yaml" } }),
      says: ['file: sourceFile is "vendor-data.yaml"'],
    },
    {
      title: "a snippet that ends like a disk image",
      resources: snippet({ contentType: "snippets", sourceFile: { path: "x.iso" } }),
    },
    {
      title: "a file without a content type",
      resources: snippet({ sourceFile: { path: "vendor-data.iso.yaml" } }),
    },
    { title: "a list of what is not known yet", resources: copy([unknown]) },
    {
      title: "a file whose path is not known yet",
      resources: snippet({ sourceFile: { path: unknown } }),
      says: ["sourceFile is not known yet"],
    },
  ],
};
