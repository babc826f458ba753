import { option, positionals, program } from "../argv.ts";
import { type Command, type Known, type Launch, UNKNOWN } from "../content.ts";

/** Images that get fetched, and nothing more of them is known. */
export const pulls = (images: readonly Known<string>[], at: string): readonly Launch[] =>
  images.map((image) => ({
    at,
    verb: "pull",
    image,
    environment: {},
    mounts: [],
    ports: [],
    privileges: [],
    command: [],
  }));

/** Options of these tools that take the next word, as far as they stand before an image. */
const VALUED =
  "--src-creds --dest-creds --creds --authfile --policy --override-arch --override-os --override-variant --address -a --namespace -n --timeout --platform --user -u --runtime-endpoint -r --image-endpoint -i --config -c --from --name --format -f --retry-times";
const valued = VALUED.split(" ");

/** Images that tools beside podman, docker and nerdctl fetch or start. */
export function otherLaunches(command: Command): readonly Launch[] {
  const { at, words, environment } = command;
  const [first, second, third, fourth] = positionals(words.slice(1), valued);
  switch (program(command)) {
    case "skopeo":
      return first === "copy" || first === "sync" ? pulls([withoutTransport(second)], at) : [];
    case "crane":
    case "crictl":
    case "buildah":
      if (first === "from" && program(command) === "buildah") return pulls([withoutTransport(second)], at);
      return first === "pull" && second !== undefined ? pulls([withoutTransport(second)], at) : [];
    case "ctr":
    case "k3s": {
      const verbs = first === "ctr" ? [second, third, fourth] : [first, second, third];
      const image = first === "ctr" ? positionals(words.slice(1), valued)[3] : third;
      if (/^(image|images|i)$/.test(String(verbs[0])) && verbs[1] === "pull")
        return pulls([image ?? UNKNOWN], at);
      const run =
        first === "run" ? second : /^(container|containers|c)$/.test(String(first)) ? third : undefined;
      return run === undefined ? [] : pulls([run], at);
    }
    case "curl":
    case "wget":
      return pulls(words.flatMap(pulledOverHttp), at);
    case "kubectl":
    case "oc": {
      const image = option(words, "--image");
      if (image === undefined) return [];
      const end = words.indexOf("--");
      const rest = end < 0 ? [] : words.slice(end + 1);
      return pulls([image], at).map((launch) => ({ ...launch, verb: "run", environment, command: rest }));
    }
    default:
      return [];
  }
}

/** `docker://name:tag`; an image of a folder or an archive has no name. */
const withoutTransport = (image: Known<string> | undefined): Known<string> =>
  typeof image === "string"
    ? image.replace(/^(docker|docker-daemon|containers-storage):(\/\/)?/, "")
    : UNKNOWN;

/** Docker's `POST /images/create?fromImage=name&tag=latest`. */
function pulledOverHttp(word: Known<string>): readonly string[] {
  if (word === UNKNOWN || !word.includes("/images/create?")) return [];
  const query = new URLSearchParams(word.slice(word.indexOf("?") + 1));
  const [image, tag] = [query.get("fromImage"), query.get("tag")];
  if (image === null) return [];
  return [tag === null ? image : `${image}${tag.startsWith("sha256:") ? "@" : ":"}${tag}`];
}
