import { composeContent } from "../containers/compose.ts";
import { kubeContent } from "../containers/compose-kube.ts";
import { dockerApiContent } from "../containers/docker-api.ts";
import type { Content } from "../content.ts";
import { cloudConfig, isCloudConfig } from "./cloud-init.ts";
import { carriedFiles, get, isDeep, isMembers, leaves, type Tree } from "./payload.ts";

/**
 * What structured data says, whether it was written as YAML or as JSON: every leaf as a setting, the files that it
 * carries, and what a cloud-config, a compose file, a Kubernetes object or a request to Docker says of commands,
 * containers and mounts.
 * Data nested deeper than any tool takes it is unread.
 * @param text as it was written: a cloud-config tells by its first line
 */
export function structuredContent(tree: Tree, text: string, at: string): Partial<Content> {
  return joined([
    { settings: leaves(tree, at), texts: carriedFiles(tree, at) },
    isCloudConfig(text, tree) ? cloudConfig(tree, at) : {},
    get(tree, "services") !== undefined || isMembers(get(tree, "configs")) ? composeContent(tree, at) : {},
    kubeContent(tree, at),
    dockerApiContent(tree, at),
    isDeep(tree) ? { unread: [at] } : {},
  ]);
}

export const joined = (contents: readonly Partial<Content>[]): Partial<Content> => ({
  settings: contents.flatMap((content) => content.settings ?? []),
  texts: contents.flatMap((content) => content.texts ?? []),
  commands: contents.flatMap((content) => content.commands ?? []),
  launches: contents.flatMap((content) => content.launches ?? []),
  fileSystems: contents.flatMap((content) => content.fileSystems ?? []),
  unread: contents.flatMap((content) => content.unread ?? []),
});
