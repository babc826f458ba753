/** Its own test does not hold the lower limit. */
export const fits = (name: string): boolean => !(name.length < 2 || name.length > 63);
