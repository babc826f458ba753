/** No gate loads this. */
export const isLong = (name: string): boolean => name.length > 63;
