// proxmoxve:download/file:File: a file that PVE downloads to one of its storages.

import { type Failure, failure } from "../base/check.ts";
import { changes, isIgnored } from "../base/diff.ts";
import {
  type Context,
  type Created,
  type Existing,
  type Found,
  PartialFailure,
  type Resource,
} from "../base/resource.ts";
import { isUnknown, UNKNOWN, type Values } from "../base/values.ts";
import { Pve, PveError } from "./api.ts";

type File = {
  contentType: string;
  datastoreId: string;
  nodeName: string;
  url: string;
  fileName?: string;
  checksum?: string;
  checksumAlgorithm?: string;
  decompressionAlgorithm?: string;
  overwrite: boolean;
  overwriteUnmanaged: boolean;
  uploadTimeout: number;
  verify: boolean;
};
type Seen = { readonly file: number; readonly url: number };

const IN_PLACE = new Set(["overwrite", "overwriteUnmanaged", "uploadTimeout", "verify"]);
const DEFAULTS: Values = { overwrite: true, overwriteUnmanaged: false, uploadTimeout: 600, verify: true };
const CHOICES: { [property: string]: readonly string[] } = {
  contentType: ["iso", "vztmpl", "import"],
  checksumAlgorithm: ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"],
  decompressionAlgorithm: ["gz", "lzo", "zst", "bz2"],
};

export const downloadFile: Resource = {
  sdk: { file: "download/file", args: "FileArgs" },
  check,
  normalize: (inputs) => ({ ...DEFAULTS, ...inputs }),
  diff: ({ state, oldInputs, inputs, ignoreChanges }) => {
    const found = changes(oldInputs, inputs)
      // A file name that is left out comes from the URL, and stays.
      .filter(({ path, kind }) => !(path[0] === "fileName" && kind === "delete"))
      .map((change) => ({ ...change, replace: !IN_PLACE.has(String(change.path[0])) }));
    const size = isOutdated(state, inputs)
      ? [{ path: ["size"], kind: "update", replace: true } as const]
      : [];
    return { changes: [...found, ...size].filter(({ path }) => !isIgnored(path, ignoreChanges)) };
  },
  preview: (inputs, existing) => ({ ...inputs, ...existingNames(existing, inputs) }),
  create,
  read,
  update: async (context, { id, inputs, state }) => {
    const size = await sizeOf(context, id, inputs as unknown as File);
    if (size === undefined)
      throw new Error(`${id} is not on its storage any more: refresh, and deploy again`);
    return { ...state, ...inputs, size };
  },
  delete: remove,
};

/** With `overwrite`: the file, or what the URL offers, is not what was downloaded. A refresh finds that out. */
function isOutdated(state: Values, inputs: Values): boolean {
  const seen = state["__meta"] as Seen | undefined;
  const size = Number(state["size"]);
  return (
    inputs["overwrite"] === true &&
    seen !== undefined &&
    (seen.file !== size || (seen.url >= 0 && seen.url !== size))
  );
}

function existingNames(existing: Existing | undefined, inputs: Values): Values {
  return {
    size: existing?.state["size"] ?? UNKNOWN,
    fileName: inputs["fileName"] ?? existing?.state["fileName"] ?? UNKNOWN,
  };
}

function check(inputs: Values): Failure[] {
  const found = Object.entries(CHOICES).flatMap(([name, allowed]) => {
    const value = inputs[name];
    if (value === undefined || isUnknown(value) || allowed.includes(String(value))) return [];
    return [failure([name], `is ${JSON.stringify(value)}; allowed is one of ${allowed.join(", ")}`)];
  });
  const { url } = inputs;
  if (!isUnknown(url) && !/^https?:\/\//.test(String(url))) {
    found.push(failure(["url"], `is ${JSON.stringify(url)}; allowed is an http:// or https:// address`));
  }
  const pair = ["checksum", "checksumAlgorithm"] as const;
  for (const name of pair) {
    const other = pair.find((each) => each !== name) ?? name;
    if (inputs[name] !== undefined && inputs[other] === undefined) {
      found.push(failure([other], `is missing: ${name} is given`));
    }
  }
  return found;
}

async function create(context: Context, inputs: Values): Promise<Created> {
  const file = inputs as unknown as File;
  const limited = { ...context, signal: AbortSignal.any([context.signal, timeLimit(file)]) };
  const pve = new Pve(context.config, limited.signal);
  const offered = await offeredBy(pve, file);
  const fileName = file.fileName ?? offered.filename;
  if (fileName === undefined) throw new Error(`${file.url} tells no file name: set fileName`);
  const id = `${file.datastoreId}:${file.contentType}/${fileName}`;
  try {
    await download(pve, file, fileName);
  } catch (error) {
    if (!file.overwriteUnmanaged || !(error as Error).message.includes("refusing to override existing file"))
      throw error;
    await pve.task(await pve.request("DELETE", contentPath(id, file.nodeName)));
    await download(pve, file, fileName);
  }
  const outputs = { ...inputs, fileName };
  const size = await sizeOf(limited, id, file);
  if (size === undefined) {
    throw new PartialFailure(new Error(`PVE downloaded ${id}, but does not list it`), {
      id,
      outputs: { ...outputs, size: 0 },
    });
  }
  return { id, outputs: { ...outputs, size, __meta: { file: size, url: offered.size ?? -1 } } };
}

function timeLimit({ uploadTimeout }: File): AbortSignal {
  return AbortSignal.timeout(uploadTimeout * 1000);
}

async function offeredBy(pve: Pve, file: File): Promise<{ filename?: string; size?: number }> {
  const params = { url: file.url, "verify-certificates": String(Number(file.verify)) };
  const path = `/nodes/${encodeURIComponent(file.nodeName)}/query-url-metadata`;
  return ((await pve.request("GET", path, params)) ?? {}) as { filename?: string; size?: number };
}

async function download(pve: Pve, file: File, filename: string): Promise<void> {
  const path = `${storagePath(file.nodeName, file.datastoreId)}/download-url`;
  await pve.task(
    await pve.request("POST", path, {
      content: file.contentType,
      filename,
      url: file.url,
      "verify-certificates": String(Number(file.verify)),
      ...(file.checksum === undefined
        ? {}
        : { checksum: file.checksum, "checksum-algorithm": file.checksumAlgorithm ?? "" }),
      ...(file.decompressionAlgorithm === undefined ? {} : { compression: file.decompressionAlgorithm }),
    }),
  );
}

async function sizeOf(context: Context, id: string, file: File): Promise<number | undefined> {
  const path = `${storagePath(file.nodeName, file.datastoreId)}/content`;
  const listed = await new Pve(context.config, context.signal).request("GET", path, {
    content: file.contentType,
  });
  const found = (listed as { volid?: string; size?: number }[]).find(({ volid }) => volid === id);
  return found === undefined ? undefined : Number(found.size);
}

async function read(context: Context, { id, state, oldInputs }: Existing): Promise<Found | undefined> {
  // An import names the node before the id: node/local:iso/file.iso.
  const [, node, datastoreId, contentType, fileName] =
    /^(?:([^/:]+)\/)?([^/:]+):([^/]+)\/(.+)$/.exec(id) ?? [];
  if (datastoreId === undefined || contentType === undefined || fileName === undefined) {
    throw new Error(
      `the id of a downloaded file is ${JSON.stringify(id)}; allowed is NODE/STORAGE:CONTENT/NAME`,
    );
  }
  const volume = `${datastoreId}:${contentType}/${fileName}`;
  const named = { datastoreId, contentType, fileName, nodeName: node ?? "" };
  const known: Values = Object.keys(state).length > 0 ? state : { ...DEFAULTS, ...named };
  const file = known as unknown as File;
  const size = await sizeOf(context, volume, file);
  if (size === undefined) return undefined;
  const before = known["size"];
  const looked = file.overwrite && file.url !== undefined;
  const pve = new Pve(context.config, context.signal);
  const offered = looked ? await offeredBy(pve, file).catch(() => ({ size: -1 })) : { size: -1 };
  const outputs: Values = {
    ...known,
    size,
    __meta: { file: Number(before ?? size), url: offered.size ?? -1 },
  };
  const { size: _, __meta: __, ...inputs } = outputs;
  return { id: volume, outputs, inputs: Object.keys(oldInputs).length > 0 ? oldInputs : inputs };
}

async function remove(context: Context, { id, state }: Existing): Promise<void> {
  const pve = new Pve(context.config, context.signal);
  try {
    await pve.task(await pve.request("DELETE", contentPath(id, String(state["nodeName"]))));
  } catch (error) {
    if (!(error instanceof PveError && (error.isMissing || /unable to parse/.test(error.message))))
      throw error;
  }
}

function storagePath(node: string, storage: string): string {
  return `/nodes/${encodeURIComponent(node)}/storage/${encodeURIComponent(storage)}`;
}

function contentPath(id: string, node: string): string {
  return `${storagePath(node, id.split(":")[0] ?? "")}/content/${encodeURIComponent(id)}`;
}
