import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Half of a pack's start is the compilation of its modules, so what comes of it is kept, in a folder that is the user's
// own: whoever can write there decides what runs here. Where that cannot be, the pack starts without.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hermes-policy"));

// The ordinary CLI runs a pack through ts-node, which does not know imports that end in .ts; Node itself does.
import("./index.ts");
