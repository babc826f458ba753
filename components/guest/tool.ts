/** Where `scripts/guest/hermes-guest` stands in a Debian guest. */
export const GUEST_TOOL = "/usr/local/lib/hermes-guest/hermes-guest";
