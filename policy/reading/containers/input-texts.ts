import { program } from "../argv.ts";
import { type Command, type Text, UNKNOWN } from "../content.ts";

/**
 * Texts in a command that its program reads as something else than shell: what `podman kube play -`, `docker compose
 * -f -`, `podman build -` and `kubectl apply -f -` take from their input; the JSON that an HTTP client sends.
 */
export function inputTexts(command: Command): readonly Text[] {
  const { at, words, input } = command;
  const name = program(command) ?? "";
  const said = words.filter((word) => word !== UNKNOWN);
  const text = typeof input === "string" && input !== "" ? input : undefined;
  if (/^(curl|wget|http|https|xh|curlie)$/.test(name)) {
    return [...said.slice(1).map(jsonOf), text].flatMap((body) =>
      body?.trimStart().startsWith("{") === true
        ? [{ at: `${at} › ${name}`, text: body, format: "json" as const }]
        : [],
    );
  }
  if (text === undefined) return [];
  if (/^(podman|podman-remote|docker|nerdctl|buildah)$/.test(name) && said.some(isBuild))
    return [{ at: `${at} › ${name} build`, text, format: "containerfile" }];
  const reads =
    /^(podman-compose|docker-compose|kubectl|k3s|oc|helm)$/.test(name) ||
    (/^(podman|podman-remote|docker|nerdctl)$/.test(name) &&
      said.some((word) => /^(kube|compose|stack|play)$/.test(word)));
  return reads ? [{ at: `${at} › ${name}`, text, format: "yaml" }] : [];
}

const isBuild = (word: string): boolean => /^(build|buildx|bud|build-using-dockerfile)$/.test(word);

/** `-d '{…}'`, `-d'{…}'`, `--data={…}`. */
const jsonOf = (word: string): string | undefined =>
  /^(?:-d|--(?:data(?:-raw|-binary|-ascii)?|json|body-data|post-data)=)?(\s*\{[\s\S]*)$/.exec(word)?.[1];
