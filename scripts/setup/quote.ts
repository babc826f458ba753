/** For sh: everything but the single quote stands for itself between single quotes. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
