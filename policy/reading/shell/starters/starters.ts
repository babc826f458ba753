import { EACH_ITEM } from "./each-item.ts";
import { ELSEWHERE } from "./elsewhere.ts";
import { PROGRAMS } from "./programs.ts";
import { interpreter, SHELLS } from "./shells.ts";
import { loader, SPECIAL_WRAPPERS } from "./special-wrappers.ts";
import type { Starter } from "./starter.ts";
import { WRAPPERS } from "./wrappers.ts";

const BY_NAME: Readonly<Record<string, Starter>> = {
  ...WRAPPERS,
  ...SPECIAL_WRAPPERS,
  ...SHELLS,
  ...EACH_ITEM,
  ...ELSEWHERE,
  ...PROGRAMS,
};

/** Programs whose names carry a version. */
const BY_PATTERN: ReadonlyArray<readonly [RegExp, Starter]> = [
  [/^(ld-linux|ld-musl|ld64|ld)[-.\w]*\.so/, loader],
  [/^(python|perl|ruby|node|nodejs|php|lua)[0-9.]*$/, interpreter],
];

/** How a program starts others, by its name without its folder; undefined: it starts none that we know of. */
export function starterOf(program: string): Starter | undefined {
  return Object.hasOwn(BY_NAME, program)
    ? BY_NAME[program]
    : BY_PATTERN.find(([pattern]) => pattern.test(program))?.[1];
}
