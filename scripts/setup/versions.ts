/** Version numbers as programs print them. */
export type Version = readonly [major: number, minor: number, patch: number];

/** The first version number in a text ("v3.274.1", "go1.26.6", "Python 3.11.2"). */
export function parseVersion(text: string): Version | undefined {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

export function atLeast(version: Version, minimum: Version): boolean {
  for (const index of [0, 1, 2] as const) {
    if (version[index] !== minimum[index]) return version[index] > minimum[index];
  }
  return true;
}

export const formatVersion = (version: Version): string => version.join(".");
