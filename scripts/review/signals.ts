import { constants } from "node:os";

const WATCHED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export interface Signals {
  /** 128 and the number of the first signal that came, as a shell counts; undefined while none has. */
  status(): number | undefined;
  stop(): void;
}

/** Keeps a signal from ending this process at once: what was made is removed first. */
export function watchSignals(): Signals {
  let came: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals): void => {
    came ??= signal;
  };
  for (const signal of WATCHED) process.on(signal, note);
  return {
    status: () => (came === undefined ? undefined : 128 + constants.signals[came]),
    stop: () => {
      for (const signal of WATCHED) process.off(signal, note);
    },
  };
}
