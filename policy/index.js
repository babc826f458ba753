// The ordinary CLI runs a pack through ts-node, which does not know imports that end in .ts; Node itself does.
import "./index.ts";
